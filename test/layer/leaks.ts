// Ways by which programs in a layer could write into the folder below it, or beside it.

const python = (code: string) => `python3 - <<'PY'\n${code}\nPY`;

/** Tries each part, also when the one before fails. */
const attempt = (code: string) =>
  python(`import os, ctypes, socket, mmap, fcntl, struct
libc = ctypes.CDLL(None, use_errno=True)
def tried(act):
    try: print(act())
    except Exception as error: print(type(error).__name__, error)
${code}`);

/** Scripts by what they try, in the folder of the project. `$O` is a folder beside it that the person has. */
export const scripts: Readonly<Record<string, string>> = {
  "write to each descriptor that is open":
    'for fd in $(ls /proc/self/fd); do [ "$fd" -gt 2 ] && echo leak >&"$fd"; done',
  "write in the folders of other processes":
    'for p in /proc/[0-9]*; do for d in cwd root; do echo leak > $p/$d/leak; echo leak > "$p/$d$PWD/leak"; done; done',
  "write to descriptors of other processes":
    "for f in /proc/[0-9]*/fd/*; do timeout 1 sh -c 'echo leak > \"$0\"' $f; done",
  "open its folders by the maps of processes":
    'for f in /proc/[0-9]*/map_files/* /proc/[0-9]*/task/*/cwd/a; do echo leak >> "$f"; done 2>/dev/null',
  "write where the changes are kept":
    "for d in changed work keeps .; do echo leak > .toolmount/layers/s/$d/a; echo leak > .toolmount/layers/s/$d/leak; done; echo leak > .toolmount/person/a",
  "make the covered folder again":
    "mv .toolmount moved; rm -rf .toolmount; mkdir -p .toolmount/layers/s/changed .toolmount/person; echo leak > .toolmount/person/a; ln -sfn / .toolmount/person",
  "find the folder by the table of mounts":
    "grep -o 'upperdir=[^,]*\\|lowerdir=[^,]*' /proc/self/mountinfo | cut -d= -f2 | while read -r d; do echo leak > $d/leak; done; cut -d' ' -f5 /proc/self/mountinfo | while read -r d; do echo leak > \"$d/leak\"; done",
  "work in a folder that is gone":
    "mkdir gone; cd gone; rmdir ../gone; echo leak > ../../leak; echo leak > ./leak; cd ..; echo x > a",
  "work in a folder that was renamed":
    "cd src; mv ../src ../renamed; echo leak > leak; echo leak >> b; mv ../renamed ../src",
  "rename the project itself": 'mv "$PWD" "$PWD-moved"; mv "$PWD" "$O/moved"; rmdir "$PWD"',
  "leave by two dots":
    "echo leak > ../leak; mkdir ../leaks; cd ..; echo leak > leak; rm -rf outside; touch outside/canary",
  "write through a link to an absolute path":
    'ln -s "$PWD/a" absolute; echo more >> absolute; ln -s /proc/1/root$PWD/a by-root; echo leak >> by-root',
  "write through a link to a file outside":
    'ln -s "$O/canary" link; echo leak >> link; cp a link; sed -i s/c/l/ link; truncate -s 0 link',
  "write through a link that the person has":
    "echo leak > out/leak; echo leak >> out/canary; rm -rf out/; ls out",
  "write through a link to a folder outside":
    'ln -s "$O" folder; echo leak > folder/leak; mv folder/canary .; rm -r folder/; cp -r src folder/',
  "make a second name of a file outside":
    'ln "$O/canary" name; echo leak >> name; ln -P link name2; ln /proc/self/exe name3',
  "write the second name of a file, outside": 'echo leak >> "$O/hard"; : > "$O/hard"; chmod 777 "$O/hard"',
  "write one of two names of a file": "echo more >> twin-a; echo more > twin-b; chmod 600 twin-a; rm twin-b",
  "move over a link": 'ln -s "$O/canary" l2; mv a l2; ln -s "$O" l3; mv src l3/; mv -T src l3',
  "write into devices":
    "mknod disk b 254 0; echo leak > disk; echo leak > /dev/vda; echo leak > /dev/mem; mknod null c 1 3; dd if=a of=/dev/sda",
  "make a whiteout": "mknod white c 0 0; mknod src/white c 0 0; rm -r src; mknod src c 0 0",
  "write into a pipe that the person reads": "timeout 1 sh -c 'echo leak > pipe'",
  "connect to sockets of the person": attempt(`
for at in ("service.sock", "../outside/service.sock"):
    tried(lambda: (lambda s: (s.connect(at), s.send(b"leak")))(socket.socket(socket.AF_UNIX)))
tried(lambda: (lambda s: (s.connect(chr(0) + os.environ.get("ABSTRACT", "toolmount-leak")), s.send(b"leak")))(socket.socket(socket.AF_UNIX)))
port = int(open("port").read())
for host in ("127.0.0.1", "::1", "0.0.0.0"):
    tried(lambda: (lambda s: s.send(b"leak"))(socket.create_connection((host, port), 1)))`),
  "use sockets of services":
    "for s in /run/docker.sock /var/run/docker.sock /run/dbus/system_bus_socket /run/systemd/private $SSH_AUTH_SOCK; do [ -e $s ] && echo leak > $s; done; ls /run",
  "forge attributes of the overlay": attempt(`
os.makedirs("forged/d", exist_ok=True)
for name in ("opaque", "redirect", "metacopy", "origin", "impure", "whiteout", "nlink", "uuid"):
    for prefix in ("user.overlay.", "trusted.overlay.", "user.overlay.overlay."):
        for value in (b"y", b"/", b"../../../../outside", b""):
            for at in (".", "forged", "forged/d", "a", "src"):
                tried(lambda: os.setxattr(at, prefix + name, value))`),
  "set flags and attributes of files": `${attempt(`
for at in ("a", "src", "src/b", "twin-a"):
    fd = os.open(at, os.O_RDONLY)
    for flags in (0x10, 0x20, 0x80, 0x0):
        tried(lambda: fcntl.ioctl(fd, 0x40086602, struct.pack("l", flags)))
    tried(lambda: os.setxattr(fd, "user.leak", b"leak"))
    tried(lambda: os.setxattr(fd, "security.capability", b"\\x01" * 20))`)}
chattr +i a; chattr +a src`,
  "change a file that is open for reading": attempt(`
for at in ("a", "src/b", "twin-a", "src", "."):
    fd = os.open(at, os.O_RDONLY)
    for act in (lambda: os.fchmod(fd, 0o777), lambda: os.utime(fd, (1, 1)), lambda: os.fchown(fd, 0, 0), lambda: os.ftruncate(fd, 0),
                lambda: os.write(fd, b"leak"), lambda: os.open("/proc/self/fd/%d" % fd, os.O_WRONLY | os.O_TRUNC), lambda: os.fsync(fd)):
        tried(act)`),
  "open a path again for writing": attempt(`
for at in ("a", "src/b"):
    fd = os.open(at, os.O_PATH)
    tried(lambda: os.write(os.open("/proc/self/fd/%d" % fd, os.O_WRONLY), b"leak"))
    tried(lambda: os.chmod("/proc/self/fd/%d" % fd, 0o777))`),
  "write by a map of memory": attempt(`
for at in ("a", "src/b", "twin-a"):
    f = open(at, "r+b"); m = mmap.mmap(f.fileno(), 0); m[0:1] = b"L"; m.flush()
    r = os.open(at, os.O_RDONLY)
    tried(lambda: mmap.mmap(r, 1, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE))
    p = mmap.mmap(r, 1, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE); p[0:1] = b"P"`),
  "copy between descriptors": attempt(`
s = os.open("a", os.O_RDONLY)
for at in ("src/b", "twin-a", "large"):
    d = os.open(at, os.O_RDWR)
    tried(lambda: os.copy_file_range(s, d, 4)); tried(lambda: os.sendfile(d, s, 0, 4))
    tried(lambda: fcntl.ioctl(d, 0x40049409, s)); tried(lambda: os.posix_fallocate(d, 0, 8192))
    tried(lambda: libc.fallocate(d, 3, ctypes.c_long(0), ctypes.c_long(2))); tried(lambda: os.truncate(at, 1))
    r, w = os.pipe(); os.write(w, b"leak"); tried(lambda: os.splice(r, d, 4))`),
  "open a file by its handle": attempt(`
class Handle(ctypes.Structure): _fields_ = [("bytes", ctypes.c_uint), ("type", ctypes.c_int), ("data", ctypes.c_ubyte * 128)]
for at in ("a", ".", "/", "../outside/canary"):
    handle = Handle(128); mount = ctypes.c_int()
    tried(lambda: libc.name_to_handle_at(-100, at.encode(), ctypes.byref(handle), ctypes.byref(mount), 0))
    for where in (".", "/", "/proc", ".."):
        fd = os.open(where, os.O_RDONLY)
        got = libc.open_by_handle_at(fd, ctypes.byref(handle), os.O_WRONLY)
        if got >= 0: tried(lambda: os.write(got, b"leak"))`),
  "make programs with the rights of their owner":
    "cp /bin/true up; chmod 4755 up; chmod u+s up; install -m 6755 /bin/true up2; chmod 2777 src; setcap cap_sys_admin+ep up; umask 0; cp -p $(command -v su) su2",
  "become another user":
    "su -c 'echo leak > a'; timeout 1 sudo -n true; newuidmap $$ 0 0 1; setpriv --reuid 0 true; chown 1:1 a; chgrp 1 src",
  mount:
    'mount --bind / src; mount --bind "$O" src; umount -l "$PWD"; umount -l .toolmount; mount -o remount,rw /; mount -t tmpfs t src; mount -t proc p /proc; mount -t overlay o -o lowerdir=/,upperdir=src,workdir=src src; pivot_root . src; echo leak > a',
  "make or enter namespaces":
    "unshare -Ur true; unshare -m true; unshare -Um sh -c 'umount .; echo leak > a'; nsenter -t 1 -m true; for p in /proc/[0-9]*; do nsenter --mount=$p/ns/mnt sh -c \"echo leak > $PWD/leak\"; done; chroot /proc/1/root true",
  "write the memory of other processes": attempt(`
for pid in [int(p) for p in os.listdir("/proc") if p.isdigit() and int(p) != os.getpid()]:
    tried(lambda: libc.ptrace(16, pid, 0, 0)); tried(lambda: open("/proc/%d/mem" % pid, "r+b").write(b"leak"))
    tried(lambda: open("/proc/%d/environ" % pid, "r+b")); tried(lambda: libc.process_vm_writev(pid, 0, 0, 0, 0, 0))
    tried(lambda: libc.syscall(434, pid, 0)); tried(lambda: libc.syscall(438, libc.syscall(434, pid, 0), 3, 0))`),
  "end every process that it can see":
    "trap '' TERM; kill -9 -1; kill -9 1; kill -STOP 1; echo leak > /proc/1/oom_score_adj; for p in /proc/[0-9]*; do kill -9 ${p#/proc/}; done",
  "change what programs load":
    "echo leak > /etc/ld.so.preload; echo leak >> /etc/ld.so.conf; echo leak >> ~/.bashrc; echo leak >> ~/.profile; mkdir -p ~/.config/leak; crontab a; echo leak > /etc/cron.d/leak",
  "ask the kernel":
    "echo leak > /proc/sys/kernel/core_pattern; echo leak > /proc/sysrq-trigger; echo 1 > /sys/kernel/uevent_helper; modprobe dummy; dmesg -C; sysctl -w kernel.hostname=leak; hostname leak",
  "write the plan and the state":
    "echo leak >> mount-plan.yaml; rm mount-plan.yaml; mv mount-plan.yaml other; ln -sf a mount-plan.yaml; ln mount-plan.yaml second && echo leak >> second; cp a mount-plan.lock.json",
  "write in the temporary folders of others":
    'echo leak > /tmp/leak; ls /tmp; echo leak > /var/tmp/leak; echo leak > /dev/shm/leak; ln -s "$PWD" /tmp/p; echo more >> /tmp/p/a',
  "rename and exchange": attempt(`
for one, other in (("a", "../outside/canary"), ("src", "../outside"), ("a", "src/b"), (".", "../outside"), ("mount-plan.yaml", "a")):
    for flag in (0, 1, 2, 4): tried(lambda: libc.renameat2(-100, one.encode(), -100, other.encode(), flag))`),
  "make links without names": attempt(`
fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600); os.write(fd, b"leak")
tried(lambda: os.link("/proc/self/fd/%d" % fd, "../outside/leak", follow_symlinks=True)); tried(lambda: os.link("/proc/self/fd/%d" % fd, "named", follow_symlinks=True))`),
  "lock and watch files": "flock a true; flock -x src true; flock mount-plan.yaml true; timeout 1 tail -f a",
  "fill the descriptors and the folder":
    "for i in $(seq 300); do exec {fd}>>a; done; seq 300 | xargs touch; rm -rf ./* .git; ls -A",
};

/** What is done after the forgery of attributes, when the view was mounted again. */
export const forged =
  "ls -R forged src; echo leak > forged/d/leak; cat src/b; echo more >> a; rm -r forged src; mkdir src";

/** Programs that run on in the background, and write when the layer was kept. */
export const survivors: Readonly<Record<string, string>> = {
  "a program in the background":
    "(for i in $(seq 200); do echo leak >> late; sleep 0.02; done) > /dev/null 2>&1 &",
  "an open file": "(exec 5>>a; for i in $(seq 200); do echo leak >&5; sleep 0.02; done) > /dev/null 2>&1 &",
  "a current folder": "(cd src; for i in $(seq 200); do echo leak >> b; sleep 0.02; done) > /dev/null 2>&1 &",
  "a session of its own":
    "setsid -f sh -c 'trap \"\" TERM HUP INT; for i in $(seq 200); do echo leak >> late2; sleep 0.02; done' > /dev/null 2>&1",
  "a map of memory": `(${python(`import mmap, time
f = open("a", "r+b"); m = mmap.mmap(f.fileno(), 1)
for i in range(200): m[0:1] = bytes([65 + i % 26]); time.sleep(0.02)`)}
) > /dev/null 2>&1 &`,
  "a program that was started by one that ended":
    "bash -c '(bash -c \"for i in $(seq 200); do touch late3; rm -f late3; sleep 0.02; done\" &) &' > /dev/null 2>&1",
};

/** Calls of the file tools, by what they try. */
export const calls: Readonly<Record<string, readonly { readonly name: string; readonly given: object }[]>> = {
  "write files by paths of processes": [
    "/proc/self/root/PROJECT/leak",
    "/proc/1/root/PROJECT/leak",
    "/proc/1/cwd/leak",
    "/proc/self/cwd/../outside/leak",
    "../outside/leak",
    ".toolmount/person/a",
    ".toolmount/layers/s/changed/leak",
    "out/leak",
    "mount-plan.yaml",
    "src/../../outside/leak",
  ].map((file_path) => ({ name: "write_file", given: { file_path, content: "leak" } })),
  "move and delete outside": [
    { name: "move_file", given: { source: "a", destination: "../outside/leak" } },
    { name: "move_file", given: { source: "../outside/canary", destination: "taken" } },
    { name: "move_file", given: { source: "a", destination: "out/leak" } },
    { name: "delete_file", given: { path: "../outside/canary" } },
    { name: "delete_file", given: { path: "out/canary" } },
    { name: "delete_file", given: { path: ".toolmount/layers/s/base.json" } },
    { name: "create_directory", given: { path: "../outside/leak" } },
  ],
};

/** A loop that makes a name a folder and a link to the outside in turn, and calls that write by this name meanwhile. */
export const race = {
  loop: 'mkdir swap; for i in $(seq 4000); do mv -T swap real; ln -s "$O" swap; rm swap; mv -T real swap; done > /dev/null 2>&1 &',
  calls: Array.from({ length: 25 }, (_, at) => ({
    name: at % 2 === 0 ? "write_file" : "create_directory",
    given: at % 2 === 0 ? { file_path: "swap/leak", content: "leak" } : { path: `swap/leak${at}` },
  })),
};
