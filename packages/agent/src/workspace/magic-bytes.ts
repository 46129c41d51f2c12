/** First bytes as hex; images among them are those that models can see. */
const MAGIC: readonly (readonly [RegExp, string])[] = [
  [/^89504e470d0a1a0a/, "image/png"],
  [/^ffd8ff/, "image/jpeg"],
  [/^474946383[79]61/, "image/gif"],
  [/^52494646.{8}57454250/, "image/webp"],
  [/^255044462d/, "a PDF document"],
  [/^504b(?:0304|0506)/, "a ZIP archive"],
  [/^1f8b08/, "a gzip archive"],
  [/^425a683.314159265359/, "a bzip2 archive"],
  [/^fd377a585a00/, "an XZ archive"],
  [/^377abcaf271c/, "a 7-Zip archive"],
  [/^28b52ffd/, "a Zstandard archive"],
  [/^7f454c46/, "an ELF program"],
  [/^4d5a(?:..){0,1022}?50450000/, "a Windows program"],
  [/^(?:cffaedfe|cafebabe)/, "a program or class file"],
  [/^0061736d/, "a WebAssembly module"],
  [/^53514c69746520666f726d6174203300/, "an SQLite database"],
  [/^(?:49492a00|4d4d002a)/, "a TIFF image"],
  [/^424d.{8}00000000/, "a BMP image"],
  [/^00000100/, "an icon"],
  [/^(?:4944330[234]|fff[b32])/, "MP3 audio"],
  [/^4f67675300/, "Ogg media"],
  [/^.{8}66747970/, "an MP4 or related media file"],
  [/^774f4632|^774f4646/, "a web font"],
];

const HEAD = 1_100;

/** What a file is, by its first bytes: a MIME type of an image, the description of another binary kind, else undefined. */
export function magicOf(head: Uint8Array): string | undefined {
  const hex = Buffer.from(head.subarray(0, HEAD)).toString("hex");
  return MAGIC.find(([pattern]) => pattern.test(hex))?.[1];
}
