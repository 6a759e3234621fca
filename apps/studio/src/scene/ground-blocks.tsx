import { extend, useThree } from '@react-three/fiber';
import { useEffect, useMemo } from 'react';
import { ExtrudeGeometry, Shape, Vector2 } from 'three';
import type { GroundId } from '../animate/clip/bounds.js';
import { GROUNDS, WIDTH } from './ground.js';
import { view } from './view.js';

extend({ ExtrudeGeometry });

const COLOR = '#cfd6de';
/** Size at which a height is drawn, over the usual one. */
const ROOM = 0.62;

/** The blocks of a ground, and room for its height. */
export function GroundBlocks({ id }: { id: GroundId }) {
  const { blocks, wedge, lift } = GROUNDS.find((each) => each.id === id) ?? GROUNDS[0];
  useRoom(lift > 0);
  return (
    <>
      {blocks.map(({ size, position, turn, tilt }) => (
        <mesh
          key={`${id} ${position.join(' ')}`}
          position={[...position]}
          rotation={[0, turn, tilt, 'ZYX']}
          castShadow
          receiveShadow
        >
          <boxGeometry args={[...size]} />
          <meshStandardMaterial color={COLOR} roughness={0.9} />
        </mesh>
      ))}
      {wedge && <Wedge {...wedge} />}
    </>
  );
}

/** What a slope stands on. */
function Wedge({ from, to, height }: { from: number; to: number; height: number }) {
  const shape = useMemo(
    () => new Shape([new Vector2(from, 0), new Vector2(to, 0), new Vector2(from, height)]),
    [from, to, height],
  );
  return (
    // Below the surface of the slope by what two surfaces need to be told apart.
    <mesh position={[0, -0.004, -WIDTH / 2]} castShadow receiveShadow>
      <extrudeGeometry args={[shape, { depth: WIDTH, bevelEnabled: false }]} />
      <meshStandardMaterial color={COLOR} roughness={0.9} />
    </mesh>
  );
}

/** Shows a height and what is below it. */
function useRoom(isHigh: boolean): void {
  const camera = useThree((three) => three.camera);
  useEffect(() => {
    if (!isHigh) return;
    const zoom = (factor: number) => {
      camera.zoom = factor;
      camera.updateProjectionMatrix();
      view.invalidate();
    };
    zoom(ROOM);
    return () => zoom(1);
  }, [isHigh, camera]);
}
