//! How much memory this process used at its peak, how much it may still take, and large pages for what is large.

use std::fs;
use std::path::{Path, PathBuf};

/// The largest resident set of this process so far, in bytes; `None` where the system does not tell.
pub fn peak_rss_bytes() -> Option<u64> {
    kilobytes(&read("/proc/self/status")?, "VmHWM:")
}

/// Memory that a new allocation can have without swapping, in bytes; `None` where the system does not tell.
///
/// The least of what the machine has left, what `ulimit -v` and `ulimit -d` leave of the address space, and what the
/// control groups of this process (versions 1 and 2) leave of their limits.
pub fn available_bytes() -> Option<u64> {
    let machine = read("/proc/meminfo").and_then(|text| kilobytes(&text, "MemAvailable:"));
    let limits = read("/proc/self/limits").zip(read("/proc/self/status"));
    let space = limits.and_then(|(limits, status)| left_of_limits(&limits, &status));
    let groups = read("/proc/self/cgroup").and_then(|groups| left_of_groups(&groups, Path::new("/sys/fs/cgroup")));
    [machine, space, groups].into_iter().flatten().min()
}

/// Makes [`peak_rss_bytes`] count anew from what is resident now; false where the system cannot.
pub fn reset_peak() -> bool {
    fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// `count` zeros, in large pages if they are many and the system has such pages.
///
/// ```
/// let zeros: Vec<f64> = merit_linalg::memory::zeros(3);
/// assert_eq!(zeros, [0.0; 3]);
/// ```
pub fn zeros<T: Copy + Default>(count: usize) -> Vec<T> {
    let zeros = vec![T::default(); count];
    ask_for_large_pages(zeros.as_ptr().cast(), size_of_val(zeros.as_slice()));
    zeros
}

/// `make(i)` of every `i` below `count`, likewise in large pages.
pub fn list<T>(count: usize, make: impl FnMut(usize) -> T) -> Vec<T> {
    let mut list: Vec<T> = Vec::with_capacity(count);
    ask_for_large_pages(list.as_ptr().cast(), count * size_of::<T>());
    list.extend((0..count).map(make));
    list
}

/// Asks the system to put memory that nobody has touched yet into pages of 2 MB instead of 4 kB: it is then found, cleared and looked up
/// many times faster. Only pages that lie wholly inside are asked for, and only of what is large enough to go back to the system when it
/// is freed, so nothing takes more memory.
fn ask_for_large_pages(start: *const u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    {
        const LARGE: usize = 2 << 20;
        const LEAST: usize = 32 << 20; // below it, glibc may keep freed memory for others, who would get large pages too
        let (first, last) = (start.addr().next_multiple_of(LARGE), (start.addr() + bytes) / LARGE * LARGE);
        if bytes >= LEAST {
            // SAFETY: the pages lie within an allocation of ours, and this advice changes nothing that a program can see.
            // A system that refuses it goes on as before.
            unsafe { libc::madvise(start.with_addr(first).cast_mut().cast(), last - first, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes);
}

fn read(file: impl AsRef<Path>) -> Option<String> {
    fs::read_to_string(file).ok()
}

fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok().map(|kb| kb.saturating_mul(1024))
}

/// What the limits of the process leave, given `/proc/self/limits` and `/proc/self/status`; `None` if they are unlimited.
fn left_of_limits(limits: &str, status: &str) -> Option<u64> {
    let pairs = [("Max address space", "VmSize:"), ("Max data size", "VmData:")];
    let left = pairs.into_iter().filter_map(|(limit, used)| {
        let soft = limits.lines().find_map(|line| line.strip_prefix(limit))?.split_whitespace().next()?;
        Some(soft.parse::<u64>().ok()?.saturating_sub(kilobytes(status, used)?))
    });
    left.min()
}

/// The least that any control group around the process leaves, given `/proc/self/cgroup` and where groups are mounted.
fn left_of_groups(groups: &str, mounted: &Path) -> Option<u64> {
    let lines = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        fields.next().zip(fields.next())
    });
    let left = lines.flat_map(|(controllers, group)| match controllers {
        "" => vec![left_of_group(mounted, group, &V2), left_of_group(&mounted.join("unified"), group, &V2)],
        _ if controllers.split(',').any(|name| name == "memory") => {
            vec![left_of_group(&mounted.join("memory"), group, &V1)]
        }
        _ => Vec::new(),
    });
    left.flatten().min()
}

/// The files in which a group tells its limit, what it uses, and how much of that is files that can be dropped.
struct Files {
    limit: &'static str,
    used: &'static str,
    droppable: &'static str,
}

const V1: Files =
    Files { limit: "memory.limit_in_bytes", used: "memory.usage_in_bytes", droppable: "total_inactive_file " };
const V2: Files = Files { limit: "memory.max", used: "memory.current", droppable: "inactive_file " };

/// What a group and those that hold it leave. In a container its own group may be mounted as the root.
fn left_of_group(root: &Path, group: &str, files: &Files) -> Option<u64> {
    let own = root.join(group.trim_start_matches('/'));
    let folders: Vec<PathBuf> = own.ancestors().take_while(|folder| folder.starts_with(root)).map(Into::into).collect();
    let left = folders.iter().filter_map(|folder| {
        let number = |name: &str| read(folder.join(name))?.trim().parse::<u64>().ok();
        let (limit, used) = (number(files.limit)?, number(files.used)?);
        let statistics = read(folder.join("memory.stat")).unwrap_or_default();
        let droppable = statistics.lines().find_map(|line| line.strip_prefix(files.droppable)?.trim().parse().ok());
        Some(limit.saturating_sub(used.saturating_sub(droppable.unwrap_or(0))))
    });
    left.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_the_process_count() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max data size             unlimited            unlimited            bytes     \n\
                      Max address space         1048576              unlimited            bytes     \n";
        let status = "Name:\tx\nVmSize:\t     512 kB\nVmData:\t     100 kB\n";
        assert_eq!(left_of_limits(limits, status), Some(1048576 - 512 * 1024));
        let both = limits.replace("unlimited            unlimited", "204800               unlimited");
        assert_eq!(left_of_limits(&both, status), Some(204800 - 100 * 1024));
        assert_eq!(left_of_limits(&limits.replace("1048576  ", "unlimited"), status), None);
        assert_eq!(left_of_limits(limits, "VmSize: 4096 kB\n"), Some(0), "used up");
    }

    #[test]
    fn limits_of_groups_count_in_both_versions() {
        let folder = std::env::temp_dir().join(format!("merit-groups-{}", std::process::id()));
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        // Version 2: the group of the process is unlimited, the one around it is not.
        write("a/b/memory.max", "max\n");
        write("a/b/memory.current", "10\n");
        write("a/memory.max", "1000\n");
        write("a/memory.current", "300\n");
        write("a/memory.stat", "anon 1\ninactive_file 100\n");
        assert_eq!(left_of_groups("0::/a/b\n", &folder), Some(800));
        // Version 1, where a container sees its own group as the root.
        write("memory/memory.limit_in_bytes", "700\n");
        write("memory/memory.usage_in_bytes", "100\n");
        let groups = "5:cpu,cpuacct:/a/b\n4:memory:/docker/x\n";
        assert_eq!(left_of_groups(groups, &folder), Some(600));
        write("memory/docker/x/memory.limit_in_bytes", "300\n");
        write("memory/docker/x/memory.usage_in_bytes", "100\n");
        assert_eq!(left_of_groups(groups, &folder), Some(200));
        assert_eq!(left_of_groups("5:cpu:/a/b\n", &folder), None);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn there_is_memory_now() {
        if cfg!(target_os = "linux") {
            assert!(available_bytes().unwrap() > 0);
        }
    }
}
