import Configuration
import Foundation
import SaunterCore
import SaunterStore
import Yams

/// The sources of settings, the one with the highest priority first.
struct SettingSources {
    /// The text of a value, and its source.
    struct Found {
        var text: String
        var source: String
    }

    private let environment: [String: String]
    private let providers: [(name: String, provider: any ConfigProvider)]

    /// - Parameters:
    ///   - arguments: the values from the command line.
    ///   - file: the path of the configuration file; nil if there is none.
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

    /// The non-empty value with the highest priority, otherwise the default.
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
            if let given, !given.isEmpty { return Found(text: given, source: name) }
            if let file { return file }
        }
        return setting.defaultText.map { Found(text: $0, source: "default") }
    }

    /// The value of a secret in the file that `SAUNTER_…_FILE` names; nil if that variable is not set.
    private func secretFile(of setting: Setting) throws(SettingsFault) -> Found? {
        guard setting.isSecret else { return nil }
        do {
            return try SecretFile.read(for: setting.variable, in: environment)
                .map { Found(text: $0, source: "\(setting.variable)_FILE") }
        } catch {
            throw SettingsFault(error.description)
        }
    }

    /// A warning for each unknown variable that begins with `SAUNTER_`, with the closest known name, because it is
    /// probably a typing error.
    var warnings: [String] {
        let settings = Setting.allCases.flatMap { setting in
            setting.isSecret ? [setting.variable, "\(setting.variable)_FILE"] : [setting.variable]
        }
        let known = settings + ["SAUNTER_CONFIG_FILE"]
        return environment.keys.sorted().compactMap { name in
            // `SAUNTER_TEST_…` variables belong to the tests, which may start this program.
            guard name.hasPrefix("SAUNTER_"), !name.hasPrefix("SAUNTER_TEST_"), !known.contains(name) else {
                return nil
            }
            let hint = closestName(to: name, among: known).map { "; did you mean \($0)?" } ?? ""
            return "\(name) is not a setting of Saunter\(hint)"
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

    /// Reads a YAML mapping from names to scalars, at most 64 KiB.
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
                    closestName(to: name, among: Setting.allCases.map(\.rawValue))
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
    /// The value of a string; nil for other types.
    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
