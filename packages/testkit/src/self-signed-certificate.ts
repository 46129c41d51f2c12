import { createPublicKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** PEM texts. */
export interface SelfSignedCertificate {
  readonly cert: string;
  readonly key: string;
}

const TAG = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
  dnsName: 0x82,
  ipAddress: 0x87,
} as const;

const ECDSA_WITH_SHA256 = Buffer.from("2a8648ce3d040302", "hex");
const COMMON_NAME = Buffer.from("550403", "hex");
const SUBJECT_ALT_NAME = Buffer.from("551d11", "hex");

/** A new one for `localhost` and 127.0.0.1, valid until 2049: no other program has to be there to make it. */
export function selfSignedCertificate(): SelfSignedCertificate {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const publicKey = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const algorithm = der(TAG.sequence, der(TAG.oid, ECDSA_WITH_SHA256));
  const name = der(
    TAG.sequence,
    der(
      TAG.set,
      der(TAG.sequence, der(TAG.oid, COMMON_NAME), der(TAG.utf8, Buffer.from("localhost"))),
    ),
  );
  const names = der(
    TAG.sequence,
    der(TAG.dnsName, Buffer.from("localhost")),
    der(TAG.ipAddress, Buffer.from([127, 0, 0, 1])),
  );
  const body = der(
    TAG.sequence,
    der(TAG.version, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    der(
      TAG.sequence,
      der(TAG.utcTime, Buffer.from("200101000000Z")),
      der(TAG.utcTime, Buffer.from("491231235959Z")),
    ),
    name,
    publicKey,
    der(
      TAG.extensions,
      der(
        TAG.sequence,
        der(TAG.sequence, der(TAG.oid, SUBJECT_ALT_NAME), der(TAG.octetString, names)),
      ),
    ),
  );
  const signature = sign("sha256", body, privateKey);
  const whole = der(
    TAG.sequence,
    body,
    algorithm,
    der(TAG.bitString, Buffer.concat([Buffer.from([0]), signature])),
  );
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);
}

function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  if (length < 0x100) return Buffer.from([0x81, length]);
  return Buffer.from([0x82, length >> 8, length & 0xff]);
}
