// A hex dump: offset, sixteen bytes, and the printable characters.

/** Formats bytes as lines of two groups of `groupBytes` bytes. */
export function hexLines(bytes: Uint8Array, groupBytes = 8): string[] {
  const width = 2 * groupBytes;
  const groupCharacters = 3 * groupBytes - 1;
  const lines: string[] = [];
  for (let offset = 0; offset < bytes.length; offset += width) {
    const part = [...bytes.subarray(offset, offset + width)];
    const codes = part.map((byte) => byte.toString(16).padStart(2, "0"));
    const halves = `${codes.slice(0, groupBytes).join(" ").padEnd(groupCharacters)}  ${codes.slice(groupBytes).join(" ").padEnd(groupCharacters)}`;
    const text = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${offset.toString(16).padStart(4, "0")}  ${halves}  ${text}`);
  }
  return lines;
}
