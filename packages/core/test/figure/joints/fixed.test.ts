import { describe } from 'vitest';
import { describeJointAxioms } from './support.js';

describe('fixed joint', () => {
  describeJointAxioms(() => ({ type: 'fixed' }), 0);
});
