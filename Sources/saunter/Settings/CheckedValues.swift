import SaunterReminders

/// Reads settings one by one, and names the one that cannot be used together with where it came from.
struct CheckedValues {
    private let found: [Setting: SettingSources.Found]

    init(_ sources: SettingSources) throws(SettingsFault) {
        var found: [Setting: SettingSources.Found] = [:]
        for setting in Setting.allCases { found[setting] = try sources.find(setting) }
        self.found = found
    }

    /// What may be shown: secrets are not.
    var shown: [(setting: Setting, text: String, source: String)] {
        Setting.allCases.compactMap { setting in
            found[setting].map { (setting, setting.isSecret ? "(hidden)" : $0.text, $0.source) }
        }
    }

    /// - Parameter wanted: what would do, for the fault.
    func optional<Value>(
        _ setting: Setting, _ wanted: String, _ read: (String) -> Value?
    ) throws(SettingsFault) -> Value? {
        guard let given = found[setting] else { return nil }
        guard let value = read(given.text) else { throw fault(setting, given, wanted) }
        return value
    }

    /// A setting that always has a value, if only the standard one.
    func required<Value>(
        _ setting: Setting, _ wanted: String, _ read: (String) -> Value?
    ) throws(SettingsFault) -> Value {
        guard let value = try optional(setting, wanted, read) else {
            throw SettingsFault("\(setting.variable) is not set: \(wanted) is wanted")
        }
        return value
    }

    /// The mail server's own reader says what is wrong with its URL.
    func mailServer() throws(SettingsFault) -> String? {
        guard let given = found[.smtpURL] else { return nil }
        do {
            _ = try MailServer(url: given.text)
        } catch {
            throw SettingsFault("\(Setting.smtpURL.variable) (from \(given.source)): \(error)")
        }
        return given.text
    }

    private func fault(_ setting: Setting, _ given: SettingSources.Found, _ wanted: String) -> SettingsFault {
        let text = setting.isSecret ? "" : "=\(String(given.text.prefix(100)).debugDescription)"
        return SettingsFault(
            "\(setting.variable)\(text) (from \(given.source)) cannot be used: \(wanted) is wanted")
    }
}
