/** Words and formulas of each erratum: plain HTML of our own. */
export interface ErratumWords {
  readonly title: string;
  readonly where: string;
  readonly printed: string;
  readonly holds: string;
  /** How the oracle has its value. */
  readonly oracle: string;
  /** What the three values are, and their unit. */
  readonly value: string;
  readonly unit: '' | 'deg';
}

const SUB = (x: string): string => `<sub>${x}</sub>`;

export const WORDS: readonly ErratumWords[] = [
  {
    title: 'The sign of v × ω',
    where: 'Appendix B',
    printed: 'v̇ = ½ (γω − ηv + <b>v × ω</b>)',
    holds: 'v̇ = ½ (γω − ηv + <b>ω × v</b>), for ω in the world',
    oracle: 'finite differences of R',
    value: 'The rate v̇ that ω gives; γ = θ cot(θ/2), η = (v·ω/θ)(cot(θ/2) − 2/θ)',
    unit: '',
  },
  {
    title: 'The rate at zero',
    where: 'Appendix B, limit',
    printed: 'v̇ = ω',
    holds: 'v̇ = ω − ½ v × ω + <sup>1</sup>⁄<sub>12</sub> v × (v × ω)',
    oracle: 'finite differences of R',
    value: 'The rate v̇ at v/20',
    unit: '',
  },
  {
    title: 'A partial at zero',
    where: 'Appendix A, limit',
    printed: `∂q${SUB('x')}/∂v${SUB('y')} = 0`,
    holds: `∂q${SUB('x')}/∂v${SUB('y')} = −v${SUB('x')}v${SUB('y')}/24`,
    oracle: 'finite differences of q',
    value: 'The partial at v/20',
    unit: '',
  },
  {
    title: 'How far the limit reaches',
    where: 'Section 3',
    printed: 'q = ½ cos(θ/2) v, “indistinguishable”',
    holds: 'q = sin(θ/2)/θ v; the other is θ²/12 off',
    oracle: 'a small rotation, doubled 20 times',
    value: 'Vector part of q',
    unit: '',
  },
  {
    title: 'Tangents, when v is replaced',
    where: 'Section 3.2.2',
    printed: 'v → (1 − 2π/θ) v, and m as it is',
    holds: 'm → (1 − 2π/θ) m + (2π/θ³)(v·m) v',
    oracle: 'finite differences of R',
    value: 'Angular velocity afterwards, in the body, where m = (0.3, 0.8, −0.5) before',
    unit: '',
  },
  {
    title: 'Two vectors “2δ apart”',
    where: 'Section 4.2',
    printed: '[γ, γ, γ] and its negative: 2δ',
    holds: '|[γ, γ, γ]| = √3 γ: far apart',
    oracle: 'the angle between two matrices',
    value: 'Angle between them, δ = θ/1000',
    unit: 'deg',
  },
  {
    title: '“No possibility of gimbal lock”',
    where: 'Section 5',
    printed: 'orthogonal axes: the determinant is 1',
    holds: 'sin θ/θ, 0 at θ = π',
    oracle: 'finite differences of R',
    value: 'Determinant at the swing θ',
    unit: '',
  },
  {
    title: 'Curves “indistinguishable”',
    where: 'Section 4.2, Figure 2',
    printed: 'vectors and spheres: the same curve',
    holds: 'apart, and more with larger keys',
    oracle: 'de Casteljau’s construction',
    value: 'Largest angle between them, keys times θ',
    unit: 'deg',
  },
  {
    title: 'B-splines, piece by piece',
    where: 'Section 4.2',
    printed: 'each piece may take the other vectors',
    holds: 'the joint of two pieces jumps',
    oracle: 'the angle between two matrices',
    value: 'Jump where two pieces meet, control points about v',
    unit: 'deg',
  },
  {
    title: '“No spin about the arm’s axis”',
    where: 'Section 5, Figure 3',
    printed: 'no spin',
    holds: '−(1 − cos θ) per radian of the circle',
    oracle: 'finite differences of R',
    value: 'Spin per radian at the swing θ',
    unit: '',
  },
];
