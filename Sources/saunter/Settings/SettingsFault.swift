/// A setting that cannot be used: one line that says which, where it came from, and what would do.
struct SettingsFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
