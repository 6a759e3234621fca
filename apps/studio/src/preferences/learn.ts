/** Address of the lessons and examples, beside the page. */
export const LEARN = './learn/';
