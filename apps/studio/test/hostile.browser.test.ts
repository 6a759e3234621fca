import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeWithChromium } from '@poise/test-support/chromium';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Page, Studio } from './support/studio-page.js';

/** Sets a flag of the page where it is taken for HTML. */
const HTML = '<img src=x onerror="top.ran=true"><svg onload="top.ran=true"></svg>';
/** As names of BVH are: without spaces. */
const WORD = HTML.replaceAll(' ', '/');

interface Watched {
  ran?: boolean;
  /** What the policy stopped: nothing should ask so much. */
  forbidden: string[];
}

describeWithChromium('a hostile file in the studio', () => {
  let studio: Studio;
  let page: Page;
  /** Another origin, and what it was asked. */
  let server: Server;
  let elsewhere: string;
  const asked: string[] = [];
  const hosts = new Set<string>();

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    studio = await Studio.start(1366, 650);
    page = await studio.open(1366, 650, {}, async (opened) => {
      opened.on('request', (request) => hosts.add(new URL(request.url()).host));
      await opened.addInitScript(() => {
        const forbidden: string[] = [];
        Object.assign(window, { forbidden });
        addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
          forbidden.push(`${violatedDirective}: ${blockedURI}`),
        );
      });
    });
    studio.page = page;
  });
  afterAll(async () => {
    await studio?.stop();
    server?.close();
  });

  const file = (name: string, content: string) => ({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(content),
  });
  const opened = (content: string, name: string) => studio.openFiles([file(name, content)]);
  const alert = () => page.getByRole('alert').innerText();

  /** No script of the file has run, nobody else was asked, and the page still answers. */
  async function isHarmless(): Promise<void> {
    // Each handle is named by the file: the last is at the end of a chain.
    const id = (await page.locator('[data-handle]').last().getAttribute('data-handle')) as string;
    const before = await studio.middle(id);
    await studio.drag(id, -20, 25, async () => {
      const { x, y } = await studio.middle(id);
      expect(Math.hypot(x - before.x, y - before.y), id).toBeGreaterThan(5);
    });
    await page.keyboard.press('Control+z');
    const seen = await page.evaluate(() => {
      const { ran, forbidden } = window as unknown as Watched;
      return { ran, forbidden, made: document.querySelectorAll('[onerror], [onload], main img').length };
    });
    expect(seen).toEqual({ ran: undefined, forbidden: [], made: 0 });
    expect(asked).toEqual([]);
    expect([...hosts].filter((host) => host !== '' && host !== new URL(page.url()).host)).toEqual([]);
  }

  /** A triangle on a chain of three, with what it names. */
  function scene(images: readonly object[]) {
    const corners = Buffer.from(Float32Array.of(0, 0, 0, 0.3, 0, 0, 0, 0.3, 0).buffer);
    const node = { translation: [0, 0.5, 0] };
    return {
      asset: { version: '2.0', generator: HTML },
      scene: 0,
      scenes: [{ name: HTML, nodes: [0] }],
      nodes: [
        { name: HTML, mesh: 0, children: [1] },
        { ...node, name: `${HTML} a`, children: [2] },
        { ...node, name: `${HTML} b` },
      ],
      meshes: [{ name: HTML, primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
      materials: [
        {
          name: HTML,
          pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicRoughnessTexture: { index: 1 } },
          emissiveTexture: { index: 2 },
        },
      ],
      textures: images.map((_, source) => ({ name: HTML, source })),
      images,
      buffers: [
        { byteLength: 36, uri: `data:application/octet-stream;base64,${corners.toString('base64')}` },
      ],
      bufferViews: [{ buffer: 0, byteLength: 36 }],
      accessors: [
        { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [0.3, 0.3, 0] },
      ],
      animations: [{ name: HTML, channels: [], samplers: [] }],
    };
  }

  const svg = () => `<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4" onload="top.ran=true">
    <script>top.ran = true</script><script href="${elsewhere}/a.js"/>
    <style>@import url(${elsewhere}/b.css);</style>
    <image href="${elsewhere}/c.png" width="4" height="4"/>
    <foreignObject width="4" height="4"><iframe xmlns="http://www.w3.org/1999/xhtml" src="${elsewhere}/d.html"/></foreignObject>
  </svg>`;
  const pictures = () => [
    { name: HTML, uri: `data:image/svg+xml;base64,${Buffer.from(svg()).toString('base64')}` },
    { name: HTML, uri: `${elsewhere}/e.png` },
    { name: HTML, uri: '//192.0.2.1/f.svg', mimeType: 'image/svg+xml' },
  ];

  it('opens a glTF without its pictures: drawn by script, or of another host', async () => {
    await opened(JSON.stringify(scene(pictures())), 'pictures.gltf');
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.locator('[data-handle]').count()).toBe(2);
    await isHarmless();
    // Names stand where a file is shown: bones, clips, groups of joints.
    const names = page.getByRole('combobox', { name: 'Joint', exact: true });
    expect(await names.locator('option').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining('<img')]),
    );
    await names.selectOption({ index: 1 });
    for (const mode of ['Animate', 'Let it fall', 'Make it physical', 'Pose']) {
      await page.getByRole('navigation').getByRole('button', { name: mode, exact: true }).click();
      await studio.idle();
    }
    await isHarmless();
    // What three.js says of a picture that it cannot read.
    const others = studio.complaints.filter(
      (each) => !/^THREE\.GLTFLoader: Couldn't load texture/.test(each),
    );
    expect(others).toEqual([]);
    studio.complaints.length = 0;
  });

  it('says which file a glTF names of another host, of a character and of a clip', async () => {
    const buffers = [{ byteLength: 36, uri: `${elsewhere}/g.bin` }];
    const text = JSON.stringify({ ...scene([]), textures: [], materials: [{}], buffers });
    await opened(text, 'buffer.gltf');
    expect(await alert()).toMatch(/^buffer\.gltf#\/buffers\/0\/uri references the file 'http:/);
    await isHarmless();
    await page.getByRole('navigation').getByRole('button', { name: 'Animate', exact: true }).click();
    await page.getByLabel('Clip to open').setInputFiles([file('clip.gltf', text)]);
    await page.getByText(/^clip\.gltf#\/buffers\/0\/uri references the file 'http:/).waitFor();
    await page.getByRole('navigation').getByRole('button', { name: 'Pose', exact: true }).click();
    await isHarmless();
  });

  it('takes names of BVH and URDF for words', async () => {
    const joint = (name: string, channels: string) => `${name}\n{\nOFFSET 0 1 0\nCHANNELS ${channels}\n`;
    const rotations = 'Zrotation Xrotation Yrotation';
    await opened(
      `HIERARCHY\n${joint(`ROOT ${WORD}`, `6 Xposition Yposition Zposition ${rotations}`)}${joint(`JOINT ${WORD}2`, `3 ${rotations}`)}End Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n${'0 '.repeat(9)}\n`,
      `${WORD.replaceAll('/', '')}.bvh`,
    );
    expect(await page.getByRole('alert').count()).toBe(0);
    await isHarmless();
    const name = HTML.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
    const mesh = `<visual><geometry><mesh filename="${elsewhere}/h.stl"/></geometry></visual>`;
    const link = (n: number) => `<link name="${name}${n}">${mesh}</link>`;
    const hinge = (n: number) =>
      `<joint name="${name}${n}" type="revolute"><parent link="${name}${n - 1}"/><child link="${name}${n}"/>
      <origin xyz="0 0 1"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>`;
    await opened(
      `<robot name="${name}">${[0, 1, 2].map(link).join('')}${[1, 2].map(hinge).join('')}</robot>`,
      'robot.urdf',
    );
    expect(await page.getByRole('alert').count()).toBe(0);
    await isHarmless();
    await opened('glTF', `${HTML.replaceAll('/', '')}.glb`);
    expect(await alert()).toMatch(/^<img src=x .*less than a GLB header/);
    await isHarmless();
  });

  it('refuses what asks for more than the page can make, in words, and answers', async () => {
    const plain = { ...scene([]), textures: [], materials: [{}] };
    const zeros = { componentType: 5126, count: 1e9, type: 'VEC3', min: [0, 0, 0], max: [0, 0, 0] };
    const deep = Array.from({ length: 20_000 }, (_, k) => (k < 19_999 ? { children: [k + 1] } : {}));
    const channels = [{ sampler: 0, target: { node: 1, path: 'translation' } }];
    const keys = [{ channels, samplers: [{ input: 1, output: 2 }] }];
    for (const [name, content, says] of [
      [
        'vertices.gltf',
        JSON.stringify({ ...plain, accessors: [zeros] }),
        /^vertices\.gltf#\/meshes asks for more/,
      ],
      [
        'keys.gltf',
        JSON.stringify({
          ...plain,
          accessors: [...plain.accessors, { ...zeros, type: 'SCALAR', min: [0], max: [1] }, zeros],
          animations: keys,
        }),
        /^keys\.gltf#\/accessors asks for more/,
      ],
      [
        'nodes.gltf',
        JSON.stringify({ ...plain, nodes: deep, meshes: [] }),
        /^nodes\.gltf#\/nodes asks for more/,
      ],
      ['nested.gltf', `{"asset":${'['.repeat(1e6)}${']'.repeat(1e6)}}`, /^nested\.gltf nests deeper/],
      [
        'frames.bvh',
        'HIERARCHY\nROOT a\n{\nOFFSET 0 1 0\nCHANNELS 1 Zrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 4000000000\nFrame Time: 0.1\n0\n',
        /4000000000/,
      ],
      [
        'nested.urdf',
        `<robot name="a">${'<a>'.repeat(1e5)}${'</a>'.repeat(1e5)}</robot>`,
        /^nested\.urdf: .*nested/,
      ],
    ] as const) {
      await opened(content, name);
      expect(await alert()).toMatch(says);
      await isHarmless();
    }
    expect(studio.complaints).toEqual([]);
  });
});
