//! What is not C++ in an emitted text: inline PTX and the declaration of dynamic shared memory.
//!
//! Everything else is compiled as it was emitted.

/// An instruction sequence of the emitted texts and its model.
struct Model {
    /// The template, parts joined.
    ptx: &'static str,
    /// The function of `ptx.h`; its parameters are the operands, in order.
    function: &'static str,
    /// Constraints of the operands, in order: a wrong register class would compile here and fail there.
    constraints: &'static [&'static str],
    /// Whether the statement has to forbid the compiler to move memory accesses across it.
    clobbers_memory: bool,
}

const MODELS: &[Model] = &[
    Model {
        ptx: "mbarrier.init.shared::cta.b64 [%0], 1;",
        function: "mbarrier_init",
        constraints: &["r"],
        clobbers_memory: true,
    },
    Model {
        ptx: "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;",
        function: "mbarrier_arrive_expect_tx",
        constraints: &["r", "r"],
        clobbers_memory: true,
    },
    Model {
        ptx: "{ .reg .pred done; mbarrier.try_wait.parity.shared::cta.b64 done, [%1], 0; \
              selp.u32 %0, 1, 0, done; }",
        function: "mbarrier_try_wait_parity_0",
        constraints: &["=r", "r"],
        clobbers_memory: true,
    },
    Model {
        ptx: "{ .reg .pred done; mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2; \
              selp.u32 %0, 1, 0, done; }",
        function: "mbarrier_try_wait_parity",
        constraints: &["=r", "r", "r"],
        clobbers_memory: true,
    },
    Model {
        ptx: "fence.proxy.async.shared::cta;",
        function: "fence_proxy_async",
        constraints: &[],
        clobbers_memory: true,
    },
    Model {
        ptx: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];",
        function: "bulk_load",
        constraints: &["r", "l", "r", "r"],
        clobbers_memory: true,
    },
    Model {
        ptx: "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;",
        function: "bulk_store",
        constraints: &["l", "r", "r"],
        clobbers_memory: true,
    },
    Model {
        ptx: "cp.async.bulk.commit_group;",
        function: "bulk_commit_group",
        constraints: &[],
        clobbers_memory: true,
    },
    Model {
        ptx: "cp.async.bulk.wait_group.read 0;",
        function: "bulk_wait_group_read_0",
        constraints: &[],
        clobbers_memory: true,
    },
    Model {
        ptx: "cp.async.ca.shared.global [%0], [%1], %2;",
        function: "copy_async",
        constraints: &["r", "l", "n"],
        clobbers_memory: true,
    },
    Model {
        ptx: "cp.async.commit_group;",
        function: "commit_group",
        constraints: &[],
        clobbers_memory: true,
    },
    Model {
        ptx: "cp.async.wait_group %0;",
        function: "wait_group",
        constraints: &["n"],
        clobbers_memory: true,
    },
    Model {
        ptx: "griddepcontrol.wait;",
        function: "griddepcontrol_wait",
        constraints: &[],
        clobbers_memory: true,
    },
    Model {
        ptx: "griddepcontrol.launch_dependents;",
        function: "griddepcontrol_launch_dependents",
        constraints: &[],
        clobbers_memory: false,
    },
    Model {
        ptx: "rsqrt.approx.f32 %0, %1;",
        function: "rsqrt_approx_f32",
        constraints: &["=f", "f"],
        clobbers_memory: false,
    },
    Model {
        ptx: "rsqrt.approx.ftz.f32 %0, %1;",
        function: "rsqrt_approx_ftz_f32",
        constraints: &["=f", "f"],
        clobbers_memory: false,
    },
    Model {
        ptx: "rcp.approx.ftz.f32 %0, %1;",
        function: "rcp_approx_ftz_f32",
        constraints: &["=f", "f"],
        clobbers_memory: false,
    },
    Model {
        ptx: "rsqrt.approx.ftz.f64 %0, %1;",
        function: "rsqrt_approx_ftz_f64",
        constraints: &["=d", "d"],
        clobbers_memory: false,
    },
    Model {
        ptx: "rcp.approx.ftz.f64 %0, %1;",
        function: "rcp_approx_ftz_f64",
        constraints: &["=d", "d"],
        clobbers_memory: false,
    },
];

/// The text with its inline PTX replaced by calls of the models, and its dynamic shared memory by the driver's.
///
/// # Errors
/// An instruction that has no model, operands of a wrong kind, or a spelling that this module does not know.
pub fn adapted(text: &str) -> Result<String, String> {
    let mut adapted = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = word(rest, "asm") {
        let (before, statement) = rest.split_at(at);
        adapted.push_str(before);
        let arguments = statement.trim_start_matches("asm").trim_start();
        let arguments = arguments.strip_prefix("volatile").unwrap_or(arguments).trim_start();
        let inside = arguments.strip_prefix('(').ok_or("`asm` without parentheses")?;
        let end = closing(inside).ok_or("`asm` without an end")?;
        adapted.push_str(&call(&inside[..end])?);
        rest = &inside[end + 1..];
    }
    adapted.push_str(rest);
    shared_memory(&adapted)
}

/// `extern __shared__ __align__(16) unsigned char glass_shared[];` as a pointer to what the driver holds.
fn shared_memory(text: &str) -> Result<String, String> {
    let mut adapted = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let Some(at) = line.find("extern __shared__") else {
            adapted.push_str(line);
            continue;
        };
        let declaration = line[at..].trim_end();
        let name = declaration
            .strip_prefix("extern __shared__ __align__(")
            .and_then(|rest| rest.split_once(") unsigned char "))
            .filter(|(alignment, _)| alignment.parse().is_ok_and(|bytes: u32| bytes <= 128))
            .and_then(|(_, rest)| rest.strip_suffix("[];"))
            .ok_or_else(|| format!("an unknown declaration of shared memory: `{declaration}`"))?;
        adapted.push_str(&line[..at]);
        adapted.push_str(&format!("unsigned char* const {name} = on_cpu::shared_memory();\n"));
    }
    Ok(adapted)
}

/// The call that stands for what lies between the parentheses of an `asm` statement.
fn call(statement: &str) -> Result<String, String> {
    let sections = split(statement, ':');
    let ptx: String = split_strings(sections[0]).concat();
    let model = MODELS
        .iter()
        .find(|model| model.ptx == ptx)
        .ok_or_else(|| format!("inline PTX without a model: `{ptx}`"))?;
    let operands = sections.iter().skip(1).take(2).flat_map(|section| split(section, ','));
    let operands: Vec<_> = operands.map(str::trim).filter(|operand| !operand.is_empty()).collect();
    let mut arguments = Vec::new();
    let mut constraints = Vec::new();
    for operand in operands {
        let parts = operand.strip_prefix('"').and_then(|rest| rest.split_once('"')).and_then(
            |(constraint, value)| Some((constraint, value.trim().strip_prefix('(')?.strip_suffix(')')?)),
        );
        let (constraint, value) = parts.ok_or_else(|| format!("an unknown operand of PTX: `{operand}`"))?;
        constraints.push(constraint);
        arguments.push(value);
    }
    if constraints != model.constraints {
        return Err(format!("`{ptx}` takes {:?}, given {constraints:?}", model.constraints));
    }
    let clobbers_memory = sections.get(3).is_some_and(|clobbers| clobbers.contains("\"memory\""));
    if model.clobbers_memory && !clobbers_memory {
        return Err(format!("`{ptx}` does not clobber memory"));
    }
    Ok(format!("ptx::{}({})", model.function, arguments.join(", ")))
}

/// Where a whole word begins, comments and strings left out.
fn word(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).map(|(at, _)| at).find(|&at| {
        let line = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..at];
        !line.contains("//") && !line.ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}

/// Where the parenthesis closes that was open before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    outside_strings(text).find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

/// The parts between separators that lie in no string and in no parentheses.
fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut depth, mut first) = (0, 0);
    let mut parts = Vec::new();
    for (at, c) in outside_strings(text) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if c == separator && depth == 0 => {
                parts.push(&text[first..at]);
                first = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[first..]);
    parts
}

/// The contents of the string literals of a text without escapes.
fn split_strings(text: &str) -> Vec<&str> {
    text.split('"').skip(1).step_by(2).collect()
}

fn outside_strings(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut is_inside = false;
    text.char_indices().filter(move |(_, c)| {
        is_inside ^= *c == '"';
        !is_inside
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_becomes_a_call_of_its_model() {
        let text = "asm volatile(\n    \"cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\"\n    \
                    ::\"l\"(target), \"r\"(address(source, 1)), \"r\"(n)\n    : \"memory\");";
        assert_eq!(adapted(text), Ok("ptx::bulk_store(target, address(source, 1), n);".to_owned()));
        let text =
            "float y;\nasm(\"rsqrt.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x)); // asm of one line";
        let expected = "float y;\nptx::rsqrt_approx_ftz_f32(y, x); // asm of one line";
        assert_eq!(adapted(text), Ok(expected.to_owned()));
    }

    #[test]
    fn what_has_no_model_is_refused() {
        let unknown = adapted("asm(\"sqrt.approx.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));").unwrap_err();
        assert_eq!(unknown, "inline PTX without a model: `sqrt.approx.f32 %0, %1;`");
        assert!(adapted("asm(\"rsqrt.approx.ftz.f32 %0, %1;\" : \"=d\"(y) : \"f\"(x));").is_err());
        assert!(adapted("asm volatile(\"fence.proxy.async.shared::cta;\");").is_err());
        assert!(adapted("extern __shared__ float w[];\n").is_err());
    }

    #[test]
    fn shared_memory_is_the_drivers() {
        let text = "    extern __shared__ __align__(16) unsigned char glass_shared[];\n    f();\n";
        let expected = "    unsigned char* const glass_shared = on_cpu::shared_memory();\n    f();\n";
        assert_eq!(adapted(text), Ok(expected.to_owned()));
    }
}
