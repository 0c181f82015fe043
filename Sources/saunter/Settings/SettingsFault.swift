/// An invalid setting. The description is one line with its name, its source and the permitted values.
struct SettingsFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
