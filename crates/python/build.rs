//! Tells the linker about symbols that only the interpreter has.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
