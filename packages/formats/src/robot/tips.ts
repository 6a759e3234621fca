/** Tips of the bones of a robot. */
import type { BoneData, Triple } from 'poise/figure';

/** Adds tips: the mean of the children's origins; leaf bones have none. */
export function withTips(bones: readonly BoneData[]): BoneData[] {
  const childrenOfBone = new Map<string, Triple[]>();
  for (const { parent, rest } of bones) {
    if (typeof parent !== 'string') continue;
    const origins = childrenOfBone.get(parent) ?? [];
    origins.push(rest?.position ?? [0, 0, 0]);
    childrenOfBone.set(parent, origins);
  }
  return bones.map((bone) => {
    const origins = childrenOfBone.get(bone.name);
    if (origins === undefined) return bone;
    const [x, y, z] = [0, 1, 2].map((k) => origins.reduce((sum, p) => sum + p[k], 0) / origins.length);
    return { ...bone, tip: [x, y, z] };
  });
}
