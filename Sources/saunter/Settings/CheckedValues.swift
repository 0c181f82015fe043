import SaunterCore
import SaunterReminders
import SaunterServer

/// Reads settings one by one. An invalid setting throws a fault that names the setting and its source.
struct CheckedValues {
    private let found: [Setting: SettingSources.Found]

    init(_ sources: SettingSources) throws(SettingsFault) {
        var found: [Setting: SettingSources.Found] = [:]
        for setting in Setting.allCases { found[setting] = try sources.find(setting) }
        self.found = found
    }

    /// The settings to show. The values of secrets are hidden.
    var shown: [(setting: Setting, text: String, source: String)] {
        Setting.allCases.compactMap { setting in
            found[setting].map { (setting, setting.isSecret ? "(hidden)" : $0.text, $0.source) }
        }
    }

    /// - Parameters:
    ///   - expected: a description of the permitted values, for the fault.
    ///   - read: parses the text; nil if it is invalid.
    func optional<Value>(
        _ setting: Setting, _ expected: String, _ read: (String) -> Value?
    ) throws(SettingsFault) -> Value? {
        guard let given = found[setting] else { return nil }
        guard let value = read(given.text) else { throw fault(setting, given, expected) }
        return value
    }

    /// Reads a setting that always has a value, at least its default.
    func required<Value>(
        _ setting: Setting, _ expected: String, _ read: (String) -> Value?
    ) throws(SettingsFault) -> Value {
        guard let value = try optional(setting, expected, read) else {
            throw SettingsFault("\(setting.variable) is not set: it must be \(expected)")
        }
        return value
    }

    /// Checks the URL of the mail server with the parser of `MailServer`, whose error text becomes the fault.
    func mailServer() throws(SettingsFault) -> Secret<String>? {
        guard let given = found[.smtpURL] else { return nil }
        do {
            _ = try MailServer(url: given.text)
        } catch {
            throw SettingsFault("\(Setting.smtpURL.variable) (from \(given.source)): \(error)")
        }
        return Secret(given.text)
    }

    /// Reads the file of the app store, whose faults name its members.
    func appStore() throws(SettingsFault) -> AppStoreSettings? {
        guard let given = found[.appStoreFile] else { return nil }
        do {
            return try AppStoreSettings.load(given.text)
        } catch {
            throw SettingsFault("\(Setting.appStoreFile.variable) (from \(given.source)): \(error)")
        }
    }

    private func fault(_ setting: Setting, _ given: SettingSources.Found, _ expected: String) -> SettingsFault
    {
        let text = setting.isSecret ? "" : "=\(String(given.text.prefix(100)).debugDescription)"
        return SettingsFault(
            "\(setting.variable)\(text) (from \(given.source)) cannot be used: it must be \(expected)")
    }
}
