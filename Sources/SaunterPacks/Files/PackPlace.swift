import Foundation

/// Which pack a folder on disk is, by its place under the folder `Questionnaires`.
package struct PackPlace: Hashable, Sendable {
    /// What stands in the folder.
    package enum Kind: Hashable, Sendable {
        case study(code: String)
        case instrument(code: String, version: String)
    }

    /// Which study or which version of an instrument.
    package let kind: Kind
    /// The folder that holds `studies` and `instruments`.
    package let root: URL

    /// Nil when the path ends in neither `studies/<code>` nor `instruments/<code>/<version>`.
    package init?(directory: String) {
        let url = URL(filePath: directory, directoryHint: .isDirectory).standardizedFileURL
        let steps = url.pathComponents.filter { $0 != "/" }
        if steps.count >= 2, steps[steps.count - 2] == "studies", PackPath.isStudyCode(steps[steps.count - 1])
        {
            kind = .study(code: steps[steps.count - 1])
            root = url.deletingLastPathComponent().deletingLastPathComponent()
        } else if steps.count >= 3, steps[steps.count - 3] == "instruments",
            PackPath.instrument(steps[steps.count - 2], steps[steps.count - 1]) != nil
        {
            kind = .instrument(code: steps[steps.count - 2], version: steps[steps.count - 1])
            root = url.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        } else {
            return nil
        }
    }

    /// The pack's folder relative to the root, with `/` at its end.
    package var folder: String {
        switch kind {
        case .study(let code): "studies/\(code)/"
        case .instrument(let code, let version): "instruments/\(code)/\(version)/"
        }
    }
}
