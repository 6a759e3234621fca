/** Examples and explanations under `--help`. */

export const poiseHelp = `
Examples:
  $ poise inspect                      the built-in human
  $ poise inspect knight.glb           a rig from a file
  $ poise inspect 'clips/**/*.bvh'     motion capture files
  $ poise limits knight.glb            how far its joints go as a human's
  $ poise pose --goal leftHand=0.35,1.45,0.45 -o out.glb
  $ poise pose knight.glb --goal hand.r=-0.3,1,0.4 -o out.glb
  $ poise convert walk.bvh -o walk.glb
  $ poise retarget walk.bvh knight.glb -o knight-walks.glb
  $ poise fit walk.trc subject.osim -o walk.mot
  $ poise simulate knight.glb --push chest:0,0,40 -o fall.glb
  $ poise optimize jump.json -o jump.glb --report jump.html
  $ poise batch retarget --in 'clips/**/*.bvh' --target knight.glb --out knights
`;

export const inspectHelp = `
Examples:
  $ poise inspect
  $ poise inspect knight.glb
  $ poise inspect panda.urdf
  $ poise inspect walk.bvh motion.json       clips with durations
  $ poise inspect 'rigs/*.{glb,vrm}'         every file of a pattern
  $ poise inspect 07_05.amc --rig 07.asf     a clip on its skeleton
  $ poise inspect walk.trc                   measured markers
  $ poise inspect knight.glb --report knight.html   a page with a player
  $ curl -s URL | poise inspect -
  $ poise inspect --height 1.6 --json > human.json
                              edit it, then: poise pose human.json ...

Several files: each is shown, whatever becomes of the others.

Exit status: 0 done; 2 bad input; 4 some of several files failed.
`;

export const limitsHelp = `
Ranges are those of a healthy adult. They are relative to the rest pose of the
rig, which is within all of them: the arms of a T-pose go down by 110 degrees,
those of an A-pose by less. A joint that has a limit keeps it.

Examples:
  $ poise limits
  $ poise limits knight.glb
  $ poise limits knight.glb --picture limits.svg
  $ poise limits knight.glb --report limits.html
  $ poise limits knight.glb --human leftHand=hand.l -o knight.json
                              then: poise pose knight.json ...
  $ poise limits rigs/ --picture pictures/

Exit status: 0 done; 2 bad input, no file written; 4 some of several rigs failed.
`;

export const poseHelp = `
Targets (metres, world axes: +Y up, characters face +Z; for a URDF robot the
axes of its root link, +Z up):
  x,y,z          a position
  +dx,dy,dz      relative to the current position: +0,-0.1,0 is 10 cm down,
                 +-0.2,0,0 is towards -X
  @OTHER         the origin of another bone; @OTHER.tip its tip
BONE is a name as in 'poise inspect', for the bone's origin; BONE.tip is the
bone's tip. Human bones have their VRM names too (rightHand, leftLowerLeg) on a
VRM or a recognised character; a joint of a robot stands for its link.

Rotations (world axes):
  x,y,z,w        a quaternion (any length)
  rx,ry,rz       a rotation vector, rad; rx,ry,rzdeg in degrees
  +...           either, relative to the current orientation: +0,30,0deg

AXIS is x, y, z, -x, -y, -z or a vector a:b:c, in the bone frame.

The solve starts from the pose of the file, or from --from. The limb of a goal
moves first; its ancestors follow where the limb cannot reach (--spread: all
joints from the start). Joints that move the whole body (the root, marked in
'poise inspect') are locked, unless a goal is on them, --free-root is given, or
a limb that no goal moves is pinned (--pin leftFoot).

Examples:
  $ poise pose --goal leftHand=0.35,1.45,0.45 -o out.glb
  $ poise pose --goal hips=+0,-0.3,-0.3 --pin leftFoot:pose --pin rightFoot:pose
  $ poise pose --aim head:z=0.5,1.2,1 --goal rightHand=@head.tip -o out.glb
  $ poise pose knight.glb --goal hand.r=+0.1,0.2,0.3 -o out.glb
  $ poise pose knight.glb --joints anatomical --goal foot.r=+0,0.4,0.2 -o out.glb
  $ poise pose panda.urdf --goal panda_hand=0.4,0.1,0.5 --json
  $ poise pose knight.glb --from pose.json --goal head=+0,0.05,0 -o up.glb
  $ poise pose knight.glb --orient head=+0,30,0deg --lock chest --json -o pose.json

Exit status: 0 all goals met; 1 not all met, the nearest pose is written;
2 bad input, no file written.
`;

export const convertHelp = `
Samples are for a controller: time, and for every coordinate its value (q),
velocity (v), acceleration (a) and joint force (tau, for figures with masses),
in SI units and radians. Joint forces are those of inverse dynamics without
contacts; 'poise optimize -o samples.csv' has those of its solution.

Examples:
  $ poise convert walk.bvh -o walk.glb
  $ poise convert walk.bvh --rate 120 > walk.csv
  $ poise convert walk.bvh -o walk.vrma --report walk.html
  $ poise convert fox.glb --animation Run -o run.csv
  $ poise convert fox.glb --animation Run -o run.glb
  $ poise convert motion.json --rig panda.urdf --rate 1000 -o reach.csv
  $ poise convert motion.json --rig panda.urdf --rate 1000 -o samples.json
  $ poise convert 'mocap/**/*.bvh' -o clips/ --format vrma

Several clips, a folder or a pattern go into a folder that exists, one file each.

Exit status: 0 done; 2 bad input, no file written; 4 some of several clips failed.
`;

export const retargetHelp = `
The last file is the rig, or the word human for the built-in one; all before it are
clips. Bones of both are recognised by names and form; --clip-human and --human
correct them. --joints anatomical gives a rig the joints and limits of a human.

A .glb, .vrm or .gltf is the rig's own file with the clip added. Several clips, a
folder or a pattern go into a folder that exists, one file each.

Palms that touch the ground stay there. Relations of hands are asked for:
  --relation leftHand=rightHand@1,2.5  the palms keep their offset, 1 s to 2.5 s
  --relation rightHand=head            its place on a bone of a human, all the time
  --relation leftHand=0.3,1,0.2@1,2    at a point of the rig's world, m

Contacts that --report FILE.json writes are corrected and given back:
--contacts FILE.json. --physical makes the result the nearest motion that gravity and
contacts alone can give; Ctrl-C ends it after the iteration, and the files are written.

The report: bones matched, contacts of feet and hands, how far they slide (mm) and
go below the ground, limits at work, angles to what the clip asks for, and where and
when each is largest. --report FILE.html shows clip and result side by side,
FILE.svg poses before and after with feet close up.

Examples:
  $ poise retarget walk.bvh knight.glb -o knight-walks.glb
  $ poise retarget walk.bvh knight.glb -o out.glb --report out.html
  $ poise retarget 07_05.amc --rig 07.asf avatar.vrm -o avatar-walks.vrm
  $ poise retarget fox-hunter.glb --animation Run human -o run.bvh
  $ poise retarget mixamo/ avatar.vrm -o clips/
  $ poise retarget walk.bvh g1.xml --rate 50 -o walk.csv
  $ poise retarget jump.bvh knight.glb --physical -o knight-jumps.glb
  $ poise retarget walk.bvh knight.glb --human leftHand=hand.l --json

Exit status: 0 done; 1 --physical did not converge, is another motion than
the clip (the figure falls) or was interrupted; what there is was written;
2 bad input, no file written; 4 some of several clips failed.
`;

export const fitHelp = `
Each frame is a weighted least-squares fit of the marker positions, as OpenSim's
inverse kinematics. Markers of an .osim model are those of its MarkerSet; for
another rig --markers names a file (metres, bone frame):

  { "LASI": { "bone": "hips", "point": [0.1, 0.05, 0.12] },
    "LKNE": { "bone": "leftLowerLeg", "point": [0.06, 0, 0], "weight": 2 } }

The report: distance from each marker to its measured position, in mm, and the
time at which it is largest.

Examples:
  $ poise fit walk.trc subject.osim -o walk.mot
  $ poise fit walk.trc subject.osim --tasks ik_tasks.xml --start 0.4 --end 1.6 --json
  $ poise fit walk.c3d knight.glb --markers markers.json -o walk.glb
  $ poise fit walk.trc subject.osim --report walk.html
  $ poise fit 'trials/*.trc' subject.osim -o motions/

The last file is the model, or the word human for the built-in one. Several
recordings, a folder or a pattern go into a folder that exists, one file each.

Exit status: 0 done; 2 bad input, no file written; 4 some of several recordings
failed.
`;

export const simulateHelp = `
The figure starts in the rest pose or that of --from, with its lowest point on
the floor (y = 0). Its joints are passive, with friction and damping only. The
root of a robot is fixed; its +Z is up.

Pushes (world axes: +Y up, characters face +Z):
  BONE:x,y,z           an impulse at the start, N s, at the bone's origin
  BONE:x,y,z@1.5       at 1.5 s
  BONE:x,y,z@1.5/0,1.2,0.1
                       at a point in world coordinates, m

The report: energy, contacts and speed over time; the largest energy increase in
a step without a push; the largest penetration; limits; the time of coming to
rest.

Examples:
  $ poise simulate --push chest:0,0,40 -o fall.glb
  $ poise simulate --stairs 8 --tilt 10 --seconds 8 -o stairs.glb
  $ poise simulate --drop 1 --tilt 80 --floor 0.3 --json
  $ poise simulate knight.glb --push head:20,0,0@0.5 --push hips:0,60,0@1 -o out.glb
  $ poise simulate knight.glb --from pose.json --world room.json -o out.glb

Exit status: 0 done; 2 bad input, no file written.
`;

export const optimizeHelp = `
A scene is JSON: a figure, a reference motion, a duration, and terms, which are
costs (with a weight) or constraints (without):

  { "format": "poise-scene", "version": 1,
    "figure": { "type": "file", "path": "panda.urdf" },
    "duration": 1.5,
    "terms": [ { "type": "pose", "at": 0 },
               { "type": "velocity", "at": 0 },
               { "type": "goal", "at": 1.5, "goal": { "type": "position",
                 "bone": "panda_hand", "target": [0.4, 0.1, 0.5] } },
               { "type": "velocity", "at": 1.5 },
               { "type": "effort" } ] }

Paths are relative to the scene. All keys: docs/scenes.md.

Ctrl-C stops after the current iteration and writes the motion so far; a second
one stops at once and writes nothing.

Examples:
  $ poise optimize jump.json -o jump.glb --report jump.html
  $ poise optimize walk.json --max-iterations 50 --save walk-50.json
  $ poise optimize walk.json --resume walk-50.json -o walk.glb
  $ poise optimize reach.json --rate 1000 -o reach.csv

Exit status: 0 converged; 1 not converged, the best motion found is written;
2 bad input, no file written.
`;

export const workerHelp = `
The machine must see the folder of the batch, and its inputs, under the same paths as
the one that enqueues. A password stands in the variable POISE_QUEUE or in a file:
  redis://USER:PASSWORD@HOST:PORT, or rediss:// with TLS

SIGTERM, SIGHUP or Ctrl-C: no new jobs; those at work get --grace seconds, then go
back into the queue. A second one ends at once.

Examples:
  $ poise worker --queue redis://10.0.0.5:6379
  $ POISE_QUEUE=redis://:PASSWORD@10.0.0.5:6379 poise worker --queue
  $ poise worker --queue-file ~/.poise-queue --jobs 4 --time-limit 120

Exit status: 0 ended as asked; 2 a queue that cannot be used, nothing but batches that
this machine does not see or that another version made, a full disk.
`;

export const batchHelp = `
Outputs go into --out, in folders as the inputs are; --out/batch has the manifest,
the journals, failed.jsonl and report.html. The same command again continues: what is
done is skipped, inputs that changed are done again. A job that exceeds its time or
memory three times is set aside; one whose input is wrong is tried once.

Examples:
  $ poise batch retarget --in 'clips/**/*.bvh' --target knight.glb --out knights
  $ poise batch retarget --in clips --target human --out out --contacts none --jobs 2
  $ poise batch fit --in 'trials/*.trc' --target subject.osim --out motions
  $ poise batch inspect --in rigs --out inspected --json
  $ poise batch convert --in clips --out samples --format csv --shard 0/4
  $ poise batch status knights
  $ poise batch retry knights --class time --time-limit 7200
  $ poise batch cancel knights

Exit status: 0 all done; 2 the batch is wrong, no job was run; 4 some failed, or it
was cancelled or could not write; 42 some failed, all by bad input: do not try again;
129, 130, 143 ended by a signal: the same command continues.
`;
