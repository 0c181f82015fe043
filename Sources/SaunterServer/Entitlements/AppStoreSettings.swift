import Foundation
import SaunterCore
import SaunterPacks

/// The apps of which the server accepts purchases in the app store, and the certificates of the store.
package struct AppStoreSettings: Sendable, Hashable {
    /// The environment of a purchase. One server accepts one of them.
    package enum Environment: String, Sendable, Hashable, CaseIterable {
        case production = "Production"
        case sandbox = "Sandbox"
    }

    /// The certificates at the end of the store's chain, in PEM.
    package var roots: [String]
    /// Study -> ids of its apps.
    package var bundles: [String: [String]]
    /// Where the accepted purchases are made.
    package var environment: Environment
    /// Whether the certificates must have the marker extensions of Apple. The roots of tests have none.
    package var requiresMarkers: Bool

    /// Creates settings that were checked.
    package init(
        roots: [String], bundles: [String: [String]], environment: Environment, requiresMarkers: Bool
    ) {
        self.roots = roots
        self.bundles = bundles
        self.environment = environment
        self.requiresMarkers = requiresMarkers
    }

    /// The studies to which an app belongs, sorted.
    func studies(ofBundle bundle: String) -> [String] {
        bundles.filter { $0.value.contains(bundle) }.keys.sorted()
    }
}

/// Why the file of the app store cannot be used.
package struct AppStoreSettingsFault: Error, Hashable, CustomStringConvertible {
    /// One line with all faults and the path of the file.
    package let description: String
}

extension AppStoreSettings {
    private static let members: Set<String> = ["environment", "roots", "studies", "apple_markers"]

    /// Reads a YAML or JSON file: `{environment: production, roots: AppleRootCA-G3.pem, studies: {alter-ego:
    /// [org.example.ego]}, apple_markers: true}`. The path of `roots` is relative to the file.
    /// - Throws: all faults.
    package static func load(_ path: String) throws(AppStoreSettingsFault) -> AppStoreSettings {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw AppStoreSettingsFault(description: "\(path) cannot be read.")
        }
        let json: JSON
        do throws(PackFaults) {
            json = try YAMLDocument.json(text, name: path)
        } catch {
            throw AppStoreSettingsFault(description: error.list.map(\.description).joined(separator: "; "))
        }
        var faults: [String] = []
        for name in (json.object ?? [:]).names where !members.contains(name) {
            faults.append("\(name.prefix(60)) is not a member.")
        }
        let environment = Environment.allCases.first {
            $0.rawValue.lowercased() == json["environment"]?.string
        }
        if environment == nil { faults.append("environment must be production or sandbox.") }
        let bundles = bundles(json["studies"], &faults)
        let roots = roots(json["roots"], of: path, &faults)
        if let markers = json["apple_markers"], markers.bool == nil {
            faults.append("apple_markers must be true or false.")
        }
        guard faults.isEmpty, let environment else {
            throw AppStoreSettingsFault(description: "\(path): \(faults.joined(separator: " "))")
        }
        return AppStoreSettings(
            roots: roots, bundles: bundles, environment: environment,
            requiresMarkers: json["apple_markers"]?.bool ?? true)
    }

    private static func bundles(_ json: JSON?, _ faults: inout [String]) -> [String: [String]] {
        guard let studies = json?.object, !studies.names.isEmpty else {
            faults.append("studies must name at least one study with the ids of its apps.")
            return [:]
        }
        var bundles: [String: [String]] = [:]
        for study in studies {
            let ids = (study.value.array ?? []).compactMap(\.string)
            if ids.isEmpty || ids.count != study.value.array?.count || ids.contains("") {
                faults.append("studies.\(study.name.prefix(60)) must be a list of ids of apps.")
            }
            bundles[study.name] = ids
        }
        return bundles
    }

    private static func roots(_ json: JSON?, of path: String, _ faults: inout [String]) -> [String] {
        guard let name = json?.string, !name.isEmpty else {
            faults.append("roots must be the path of a file with certificates in PEM.")
            return []
        }
        let file = name.hasPrefix("/") ? name : (path as NSString).deletingLastPathComponent + "/" + name
        let resolved = name.hasPrefix("/") || path.contains("/") ? file : name
        guard let text = try? String(contentsOfFile: resolved, encoding: .utf8) else {
            faults.append("roots: \(resolved) cannot be read.")
            return []
        }
        let end = "-----END CERTIFICATE-----"
        let certificates = text.components(separatedBy: end).dropLast().compactMap { part in
            part.range(of: "-----BEGIN CERTIFICATE-----").map { String(part[$0.lowerBound...]) + end + "\n" }
        }
        do {
            _ = try AppStoreVerifier.verifier(certificates)
        } catch {
            faults.append("roots: \(resolved) has no readable certificate.")
        }
        return certificates
    }
}
