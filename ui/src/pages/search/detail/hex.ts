// Bytes as people look at them: offset, sixteen bytes, and what of them can be read.

const WIDTH = 16;

export function hexLines(bytes: Uint8Array): string[] {
  const lines: string[] = [];
  for (let offset = 0; offset < bytes.length; offset += WIDTH) {
    const part = [...bytes.subarray(offset, offset + WIDTH)];
    const codes = part.map((byte) => byte.toString(16).padStart(2, "0"));
    const halves = `${codes.slice(0, 8).join(" ").padEnd(23)}  ${codes.slice(8).join(" ").padEnd(23)}`;
    const signs = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${offset.toString(16).padStart(4, "0")}  ${halves}  ${signs}`);
  }
  return lines;
}
