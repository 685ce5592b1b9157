//! How much memory this process used at its peak, and how much the machine has left.

use std::fs;

/// The largest resident set of this process so far, in bytes; `None` where the system does not tell.
pub fn peak_rss_bytes() -> Option<u64> {
    kilobytes("/proc/self/status", "VmHWM:")
}

/// Memory that a new allocation can have without swapping, in bytes; `None` where the system does not tell.
///
/// The smaller of what the machine and (under a control group) what the container has left.
pub fn available_bytes() -> Option<u64> {
    let machine = kilobytes("/proc/meminfo", "MemAvailable:");
    let group = number("/sys/fs/cgroup/memory.max")
        .zip(number("/sys/fs/cgroup/memory.current"))
        .map(|(limit, used)| limit.saturating_sub(used));
    [machine, group].into_iter().flatten().min()
}

fn kilobytes(file: &str, key: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok().map(|kb| kb * 1024)
}

fn number(file: &str) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// Makes [`peak_rss_bytes`] count anew from what is resident now; false where the system cannot.
pub fn reset_peak() -> bool {
    fs::write("/proc/self/clear_refs", "5").is_ok()
}
