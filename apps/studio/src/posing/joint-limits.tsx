import { type FigureBinding, LimitHelper } from '@poise/three';
import { useFrame, useThree } from '@react-three/fiber';
import { vec3 } from 'poise/math';
import { useEffect, useLayoutEffect, useMemo } from 'react';
import type { Character } from '../character/character.js';
import { view } from '../scene/view.js';
import { session, useStudio } from '../session/store.js';
import { layOutRims } from './rim-layout.js';

/** Radius of the limits of a finger, over its length: drawn as large as those of other bones they would hide the hand. */
const FINGER = 1.2;

/** All limits of a joint. */
export function JointLimits({ bone }: { bone: number }) {
  const character = useStudio((studio) => studio.character);
  const invalidate = useThree((three) => three.invalidate);
  const helper = useMemo(() => {
    const each = character.figure.bones[bone];
    const source = {
      figure: character.figure,
      /** Of what is drawn now: with another character it comes after this. */
      get binding() {
        return view.body?.binding as FigureBinding;
      },
      get pose() {
        return session.pose;
      },
      get result() {
        return session.result;
      },
    };
    const isFinger = /Thumb|Index|Middle|Ring|Little/.test(humanName(character, each.index) ?? '');
    const length = each.tip === undefined ? 0 : vec3.norm(each.tip);
    return new LimitHelper(source, {
      show: 'all',
      bones: [each.name],
      ...(isFinger && length > 0 ? { radius: FINGER * length } : {}),
    });
  }, [bone, character]);
  useEffect(() => () => helper.dispose(), [helper]);
  const update = () => {
    const isDrawn = view.body?.binding.figure.dof === character.figure.dof;
    if (session.character !== character || !isDrawn) return;
    helper.update();
    layOutRims(bone, helper);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: grips appear with the limits.
  useLayoutEffect(() => {
    update();
    invalidate();
    return () => invalidate();
  }, [helper]);
  useFrame(update);
  return <primitive object={helper} />;
}

function humanName({ bones }: Character, bone: number): string | undefined {
  return Object.entries(bones).find(([, index]) => index === bone)?.[0];
}
