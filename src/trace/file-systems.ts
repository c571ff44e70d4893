/**
 * Names of file systems by the magic number that fstatfs tells, as `mount` shows them. Sources: linux/magic.h and
 * the man page statfs(2); those of Lustre, GPFS, BeeGFS, DAOS' dfuse, Panasas, WekaFS, GFS2 and ZFS from the sources of `stat` in GNU coreutils.
 */
const NAMES: ReadonlyMap<number, string> = new Map([
  [0xef53, "ext4"], // ext2 and ext3 have the same
  [0x58465342, "xfs"],
  [0x9123683e, "btrfs"],
  [0x2fc12fc1, "zfs"],
  [0xf2f52010, "f2fs"],
  [0x73717368, "squashfs"],
  [0x794c7630, "overlay"],
  [0x01021994, "tmpfs"],
  [0x858458f6, "ramfs"],
  [0x958458f6, "hugetlbfs"],
  [0x65735546, "fuse"],
  [0x9fa0, "proc"],
  [0x62656572, "sysfs"],
  [0x1cd1, "devpts"],
  [0x27e0eb, "cgroup"],
  [0x63677270, "cgroup2"],
  [0x50495045, "pipefs"],
  [0x534f434b, "sockfs"],
  [0x09041934, "anon_inode"],
  [0x6969, "nfs"],
  [0xff534d42, "cifs"],
  [0xfe534d42, "smb2"],
  [0x517b, "smb"],
  [0x01021997, "9p"],
  [0x00c36400, "ceph"],
  [0x5346414f, "afs"],
  [0x0bd00bd0, "lustre"],
  [0x47504653, "gpfs"],
  [0x19830326, "beegfs"],
  [0x20030528, "orangefs"],
  [0xaad7aaea, "panfs"],
  [0x01161970, "gfs2"],
  [0x7461636f, "ocfs2"],
]);

/** Those on which equal paths and inodes are the same file on all hosts. */
const SHARED: ReadonlySet<string> = new Set(
  "nfs cifs smb2 smb 9p ceph afs lustre gpfs beegfs orangefs panfs gfs2 ocfs2".split(" "),
);

/** @param magic f_type of struct statfs, 0 if it is not known */
export function fileSystemName(magic: bigint): string {
  if (magic === 0n) return "";
  return NAMES.get(Number(magic)) ?? `0x${magic.toString(16)}`;
}

export function isShared(fileSystem: string): boolean {
  return SHARED.has(fileSystem);
}
