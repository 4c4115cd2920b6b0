//! libFuzzer around the targets of one program.
//!
//! The variable `UNDERSTORY_FUZZ_TARGET` says which. A panic that a library catches itself (around a
//! dependency that panics) is no find: only one that reaches the end of the target is.

use crate::{Reader, Target, mutate};
use std::cell::RefCell;

thread_local! {
    static READER: RefCell<Option<Reader>> = const { RefCell::new(None) };
}

/// The target that is wanted among those of this program.
pub fn wanted(targets: &'static [Target]) -> &'static Target {
    let name = std::env::var("UNDERSTORY_FUZZ_TARGET").unwrap_or_default();
    let found = targets.iter().find(|target| target.name == name);
    found.unwrap_or_else(|| panic!("UNDERSTORY_FUZZ_TARGET={name} is no target of this program"))
}

/// Most bytes of a corpus in the repository, and of one input in it.
const CORPUS_BYTES: usize = 96 << 10;
const INPUT_BYTES: usize = 8 << 10;

/// What `cargo xtask fuzz` asks for before it starts libFuzzer: the names of the targets, inputs to
/// begin with in a folder, or the inputs of a folder as the corpus. It ends the program.
pub fn answer(targets: &'static [Target]) {
    let asked = |name: &str| std::env::var_os(name).map(std::path::PathBuf::from);
    if asked("UNDERSTORY_FUZZ_LIST").is_some() {
        for target in targets {
            #[allow(clippy::print_stdout)]
            {
                println!("{} {}", target.name, target.bytes_max);
            }
        }
    } else if let Some(folder) = asked("UNDERSTORY_FUZZ_PUT") {
        let target = wanted(targets);
        let kept = crate::read_corpus(target.name).unwrap();
        for input in (target.seeds)().into_iter().chain(kept) {
            let name = format!("{:08x}-{}", crc32fast::hash(&input), input.len());
            std::fs::write(folder.join(name), input).unwrap();
        }
    } else if let Some(folder) = asked("UNDERSTORY_FUZZ_TAKE") {
        let target = wanted(targets);
        let files = std::fs::read_dir(folder).unwrap();
        let mut inputs: Vec<Vec<u8>> =
            files.map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect();
        // The small ones first, and no more than a repository should hold.
        inputs.sort_by_key(|input| (input.len(), crc32fast::hash(input)));
        let mut bytes = 0;
        inputs.retain(|input| {
            bytes += input.len();
            input.len() <= INPUT_BYTES && bytes <= CORPUS_BYTES
        });
        crate::write_corpus(target.name, &inputs).unwrap();
    } else {
        return;
    }
    std::process::exit(0);
}

/// libFuzzer's own hook ends the program at any panic.
pub fn let_libraries_catch() {
    std::panic::set_hook(Box::new(|panic| {
        if std::env::var_os("UNDERSTORY_FUZZ_LOUD").is_some() {
            let trace = std::backtrace::Backtrace::force_capture();
            #[allow(clippy::print_stderr)]
            {
                eprintln!("{panic}\n{trace}");
            }
        }
    }));
}

/// Reads one input.
pub fn read(targets: &'static [Target], bytes: &[u8]) {
    READER.with_borrow_mut(|reader| {
        let reader = reader.get_or_insert_with(|| (wanted(targets).reader)());
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| reader(bytes)));
        if let Err(panic) = outcome {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            #[allow(clippy::print_stderr)]
            {
                eprintln!("panicked: {}", text.unwrap_or("without words"));
            }
            std::process::abort();
        }
    });
}

/// Changes an input; gives its new length.
pub fn change(
    targets: &'static [Target],
    data: &mut [u8],
    size: usize,
    size_max: usize,
    seed: u32,
) -> usize {
    let target = wanted(targets);
    let mut random = mutate::Random::new(u64::from(seed));
    if matches!(target.mutation, mutate::Mutation::Bytes) {
        return libfuzzer_sys::fuzzer_mutate(data, size, size_max);
    }
    // Half of the inputs also change anyhow, as bytes.
    let mut length = size;
    let also_bytes = random.below(2) == 0;
    if also_bytes {
        length = libfuzzer_sys::fuzzer_mutate(data, size, size_max);
    }
    let changed = target.mutation.apply(&data[..length], &mut random, !also_bytes);
    match changed {
        Some(changed) if changed.len() <= size_max => {
            data[..changed.len()].copy_from_slice(&changed);
            changed.len()
        }
        _ if also_bytes => length,
        _ => libfuzzer_sys::fuzzer_mutate(data, size, size_max),
    }
}

/// The entry points that libFuzzer calls.
#[macro_export]
macro_rules! guided {
    ($targets:expr) => {
        libfuzzer_sys::fuzz_target!(
            init: {
                $crate::guided::answer(&$targets);
                $crate::guided::let_libraries_catch();
            },
            |bytes: &[u8]| $crate::guided::read(&$targets, bytes)
        );
        libfuzzer_sys::fuzz_mutator!(
            |data: &mut [u8], size: usize, size_max: usize, seed: u32| {
                $crate::guided::change(&$targets, data, size, size_max, seed)
            }
        );
    };
}
