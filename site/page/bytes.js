// Bytes that a user pastes, and bytes for display.

// Returns the bytes of pasted text. Throws an error with a message.
export function pastedBytes(text, kind) {
  if (kind === "hex") return fromHex(text);
  if (kind === "base64") return fromBase64(text);
  return new TextEncoder().encode(text);
}

function fromHex(text) {
  // Also as C and Python write bytes: \xE9, 0xE9.
  const digits = text.replace(/\\x|0x/gi, "").replace(/[\s,:;-]+/g, "");
  if (/[^0-9a-f]/i.test(digits)) throw new Error("A character is not a hexadecimal digit.");
  if (digits.length % 2) throw new Error("The number of hexadecimal digits is odd.");
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

export function fromBase64(text) {
  const digits = text.replace(/\s+/g, "").replace(/-/g, "+").replace(/_/g, "/");
  try {
    return Uint8Array.from(atob(digits), (character) => character.charCodeAt(0));
  } catch {
    throw new Error("This is not base64.");
  }
}

export function hexBytes(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
}

export function size(bytes) {
  const units = ["bytes", "kB", "MB", "GB"];
  let unit = 0;
  let value = bytes;
  while (value >= 1000 && unit < units.length - 1) { value /= 1000; unit++; }
  return unit === 0 ? `${bytes} byte${bytes === 1 ? "" : "s"}` : `${value.toPrecision(3)} ${units[unit]}`;
}
