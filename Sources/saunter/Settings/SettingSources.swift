import Configuration
import Foundation
import SaunterCore
import Yams

/// The places that settings come from, the strongest first.
struct SettingSources {
    /// A value as it was written, and where.
    struct Found {
        var text: String
        var source: String
    }

    private let environment: [String: String]
    private let providers: [(name: String, provider: any ConfigProvider)]

    /// - Parameters:
    ///   - arguments: what the command line gives.
    ///   - file: the configuration file; nil when there is none.
    init(arguments: [Setting: String], environment: [String: String], file: String?) throws(SettingsFault) {
        self.environment = environment
        var providers: [(name: String, provider: any ConfigProvider)] = [
            ("the command line", Self.provider(arguments)),
            (
                "the environment",
                EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "saunter")
            ),
        ]
        if let file { providers.append((file, Self.provider(try Self.read(file)))) }
        self.providers = providers
    }

    /// The strongest value that is given, not empty; else the standard one.
    func find(_ setting: Setting) throws(SettingsFault) -> Found? {
        for (name, provider) in providers {
            let key = AbsoluteConfigKey([setting.rawValue])
            let given: String?
            do {
                given = try provider.value(forKey: key, type: .string).value?.content.text
            } catch {
                throw SettingsFault("\(setting.rawValue) in \(name) cannot be read: \(error)")
            }
            let file = name == "the environment" ? try secretFile(of: setting) : nil
            if let given, !given.isEmpty {
                guard file == nil else {
                    throw SettingsFault("set \(setting.variable) or \(setting.variable)_FILE, not both")
                }
                return Found(text: given, source: name)
            }
            if let file { return file }
        }
        return setting.standard.map { Found(text: $0, source: "default") }
    }

    /// The content of the file that `SAUNTER_…_FILE` names, without line ends behind it.
    private func secretFile(of setting: Setting) throws(SettingsFault) -> Found? {
        let variable = "\(setting.variable)_FILE"
        guard setting.isSecret, let path = environment[variable], !path.isEmpty else { return nil }
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw SettingsFault("\(variable): \(path) cannot be read")
        }
        guard data.count <= 65_536, let text = String(validating: data, as: UTF8.self) else {
            throw SettingsFault("\(variable): \(path) is not a short text in UTF-8")
        }
        let trimmed = String(text.reversed().drop(while: \.isNewline).reversed())
        guard !trimmed.isEmpty else { throw SettingsFault("\(variable): \(path) is empty") }
        return Found(text: trimmed, source: variable)
    }

    /// Variables that nobody reads, each with what was probably meant. A typing error would else pass in
    /// silence.
    var warnings: [String] {
        let settings = Setting.allCases.flatMap { setting in
            setting.isSecret ? [setting.variable, "\(setting.variable)_FILE"] : [setting.variable]
        }
        let known = settings + ["SAUNTER_CONFIG_FILE"]
        return environment.keys.sorted().compactMap { name in
            // Those with TEST belong to the tests of the product, which may start it.
            guard name.hasPrefix("SAUNTER_"), !name.hasPrefix("SAUNTER_TEST_"), !known.contains(name) else {
                return nil
            }
            let hint = nearestMember(to: name, among: known).map { "; did you mean \($0)?" } ?? ""
            return "\(name) is no setting of Saunter\(hint)"
        }
    }

    private static func provider(_ values: [Setting: String]) -> InMemoryProvider {
        InMemoryProvider(
            values: Dictionary(
                uniqueKeysWithValues: values.map { setting, text in
                    (
                        AbsoluteConfigKey([setting.rawValue]),
                        ConfigValue(.string(text), isSecret: setting.isSecret)
                    )
                }))
    }

    /// A file of `name: value` lines.
    private static func read(_ path: String) throws(SettingsFault) -> [Setting: String] {
        guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= 65_536,
            let text = String(validating: data, as: UTF8.self)
        else { throw SettingsFault("the configuration file \(path) cannot be read") }
        let node: Node?
        do {
            node = try Yams.compose(yaml: text)
        } catch {
            throw SettingsFault("\(path) is not YAML: \(error)")
        }
        guard let node else { return [:] }
        guard let mapping = node.mapping else {
            throw SettingsFault("\(path) is not a list of `name: value`")
        }
        var values: [Setting: String] = [:]
        for (key, value) in mapping {
            let name = key.scalar?.string ?? ""
            let line = key.mark?.line ?? 1
            guard let setting = Setting(rawValue: name) else {
                let hint =
                    nearestMember(to: name, among: Setting.allCases.map(\.rawValue))
                    .map { "; did you mean \($0)?" } ?? ""
                throw SettingsFault("\(path):\(line): there is no setting \"\(name.prefix(60))\"\(hint)")
            }
            guard let text = value.scalar?.string else {
                throw SettingsFault("\(path):\(line): \(name) must be one value")
            }
            values[setting] = text
        }
        return values
    }
}

extension ConfigContent {
    /// The text of a text.
    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
