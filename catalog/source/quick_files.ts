/**
 * Which files can be looked at at once: those of a file system in this machine,
 * whose looks are answered from memory. A look at one across a network may take
 * as long as the network likes, and this process must not wait for it.
 *
 * A look in a thread beside costs ten times one at once, and every call makes
 * one.
 *
 * @module
 */

/** File systems of Linux that hold what is in this machine, by their number. */
const QUICK_TYPES: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0x2fc12fc1, // ZFS
  0xf2f52010, // F2FS
  0xca451a4e, // bcachefs
  0x01021994, // tmpfs
  0x858458f6, // ramfs
  0x794c7630, // overlayfs, over these
]);

/** Whether a file or folder is one; false where that cannot be told. */
export async function isQuick(path: string): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  try {
    // Loaded when a catalog is read: no start needs it.
    const { statfs } = await import("node:fs/promises");
    // Read as a signed number on some machines.
    return QUICK_TYPES.has((await statfs(path)).type >>> 0);
  } catch {
    return false; // Missing, or this process may not ask.
  }
}
