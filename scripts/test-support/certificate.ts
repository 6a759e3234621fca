/** A certificate that signs itself, for servers of tests on 127.0.0.1: no key is kept in the repository, and no program is needed to make one. */
import { generateKeyPairSync, sign } from 'node:crypto';

/** A key and its certificate, PEM. */
export interface SelfSigned {
  readonly key: string;
  readonly certificate: string;
}

/** Valid from an hour ago, for a day (X.509 version 3, RFC 5280; ECDSA with SHA-256 on P-256, RFC 5758). */
export function selfSigned(): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
  const commonName = sequence(objectId(0x55, 0x04, 0x03), element(0x0c, Buffer.from('poise test')));
  const name = sequence(element(0x31, commonName));
  const time = (ms: number): Buffer =>
    element(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')}`));
  const now = Date.now();
  // subjectAltName: the IP address 127.0.0.1.
  const alternative = sequence(
    objectId(0x55, 0x1d, 0x11),
    element(0x04, sequence(element(0x87, Buffer.from([127, 0, 0, 1])))),
  );
  const authority = sequence(
    objectId(0x55, 0x1d, 0x13),
    element(0x01, Buffer.from([0xff])),
    element(0x04, sequence(element(0x01, Buffer.from([0xff])))),
  );
  const body = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(time(now - 3600e3), time(now + 86400e3)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(alternative, authority)),
  );
  const signature = element(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]));
  const text = sequence(body, algorithm, signature).toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
  };
}

/** Tag, length and content (ITU-T X.690). */
function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, ...parts);
}

function objectId(...bytes: readonly number[]): Buffer {
  return element(0x06, Buffer.from(bytes));
}
