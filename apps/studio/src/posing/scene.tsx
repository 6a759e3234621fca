import { LimitHelper } from '@poise/three';
import { useFrame, useThree } from '@react-three/fiber';
import { useEffect, useMemo } from 'react';
import { usePosing } from '../scene/posing-store.js';
import { view } from '../scene/view.js';
import { session, useStudio } from '../session/store.js';

/** All limits of the joint whose row is pointed at. */
export function PosingScene() {
  const lit = usePosing((posing) => posing.lit);
  const character = useStudio((studio) => studio.character);
  const invalidate = useThree((three) => three.invalidate);
  const helper = useMemo(() => {
    const bone = lit === undefined ? undefined : character.figure.bones[lit]?.name;
    if (bone === undefined || view.body === undefined) return undefined;
    const source = {
      figure: character.figure,
      binding: view.body.binding,
      get pose() {
        return session.pose;
      },
      get result() {
        return session.result;
      },
    };
    return new LimitHelper(source, { show: 'all', bones: [bone] });
  }, [lit, character]);
  useEffect(() => {
    invalidate();
    return () => {
      helper?.dispose();
      invalidate();
    };
  }, [helper, invalidate]);
  useFrame(() => helper?.update());
  return helper === undefined ? null : <primitive object={helper} />;
}
