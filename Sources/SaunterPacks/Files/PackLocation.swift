import Foundation

/// The pack in a folder on disk, identified by the folder's path.
package struct PackLocation: Hashable, Sendable {
    /// What the folder contains.
    package enum Kind: Hashable, Sendable {
        case study(code: String)
        case instrument(code: String, version: String)
    }

    /// The study or the instrument version.
    package let kind: Kind
    /// The folder that contains `studies` and `instruments`.
    package let root: URL

    /// Returns nil if the path does not end with `studies/<code>` or `instruments/<code>/<version>`.
    package init?(directory: String) {
        let url = URL(filePath: directory, directoryHint: .isDirectory).standardizedFileURL
        let components = url.pathComponents.filter { $0 != "/" }
        if components.count >= 2, components[components.count - 2] == "studies",
            PackPath.isStudyCode(components[components.count - 1])
        {
            kind = .study(code: components[components.count - 1])
            root = url.deletingLastPathComponent().deletingLastPathComponent()
        } else if components.count >= 3, components[components.count - 3] == "instruments",
            PackPath.instrument(components[components.count - 2], components[components.count - 1]) != nil
        {
            kind = .instrument(
                code: components[components.count - 2], version: components[components.count - 1])
            root = url.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        } else {
            return nil
        }
    }

    /// The path of the pack's folder relative to the root, with `/` at the end.
    package var folder: String {
        switch kind {
        case .study(let code): "studies/\(code)/"
        case .instrument(let code, let version): "instruments/\(code)/\(version)/"
        }
    }
}
