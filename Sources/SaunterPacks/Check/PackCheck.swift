import Foundation
import SaunterCore

/// Checks packs: parses them, runs the test vectors of the instruments, and collects all faults.
package enum PackCheck {
    /// Checks the packs at these paths.
    /// - Parameter paths: folders of packs, files in such folders, or folders to search for packs.
    package static func run(paths: [String]) -> PackReport {
        let search = PackSearch(paths: paths)
        var run = Run(faults: search.faults)
        for location in search.locations { run.check(location) }
        return run.report
    }

    /// Checks a study in memory, with the instrument versions that it names. Paths are relative to the folder of the
    /// packs. An instrument version that the study does not name is a hint, because it is not published.
    package static func run(_ files: PackFiles, study code: String) -> PackReport {
        var run = Run(faults: [])
        run.check(study: code, files, root: "")
        var report = run.report
        report.hints += unused(files, study: code)
        return report
    }

    private static func unused(_ files: PackFiles, study code: String) -> [PackFault] {
        let named = StudyReferences.folders(of: code, in: files)
        let present = Set(files.files.keys.compactMap { PackPath.instrumentFolder(of: $0) })
        return present.subtracting(named).sorted().map {
            PackFault(
                file: $0 + PackPath.questionnaire, line: 1,
                message: "the study does not use this version, so it is not published")
        }
    }

    /// The state of one check.
    private struct Run {
        var faults: [PackFault]
        /// The folders of the instrument versions that were checked.
        private var instruments: Set<String> = []
        private var partialReport = PackReport()

        init(faults: [PackFault]) {
            self.faults = faults
        }

        var report: PackReport {
            var report = partialReport
            report.faults = PackFaults(faults).list
            return report
        }

        mutating func check(_ location: PackLocation) {
            let root = Self.displayRoot(of: location)
            do {
                let files = try PackFiles.load(directory: location.root.appending(path: location.folder).path)
                switch location.kind {
                case .study(let code): check(study: code, files, root: root)
                case .instrument(let code, let version): check(instrument: code, version, files, root: root)
                }
            } catch {
                note(error, root)
            }
        }

        /// Checks a study and its instruments.
        /// - Parameter root: precedes the paths of faults.
        mutating func check(study code: String, _ files: PackFiles, root: String) {
            partialReport.studyCount += 1
            guard let folder = PackPath.study(code) else {
                return faults.append(PackFault(file: root + "studies", line: 1, message: "not a study code"))
            }
            for instrument in StudyReferences.folders(of: code, in: files)
            where !files.folder(instrument).files.isEmpty {
                let parts = instrument.split(separator: "/")
                check(instrument: String(parts[1]), String(parts[2]), files, root: root)
            }
            var parser = StudyParser(files: files, folder: folder)
            let study = parser.study(code: code, skipsRules: false)
            faults += withDisplayPaths(parser.faults, root)
            partialReport.hints += withDisplayPaths(parser.hints, root)
            guard let study, parser.faults.isEmpty else { return }
            partialReport.burden += StudyBurden.all(of: study)
            partialReport.libraries += LibrarySize.all(of: parser.library, in: study.code)
        }

        /// Checks each instrument version once, also if several studies use it.
        private mutating func check(
            instrument code: String, _ version: String, _ files: PackFiles, root: String
        ) {
            guard instruments.insert("\(root)instruments/\(code)/\(version)").inserted else { return }
            partialReport.instrumentCount += 1
            do {
                let pack = try InstrumentPack.check(files, code: code, version: version)
                partialReport.vectorCount += pack.vectorCount
                partialReport.hints += withDisplayPaths(pack.hints, root)
            } catch {
                note(error, root)
            }
        }

        private mutating func note(_ found: PackFaults, _ root: String) {
            faults += withDisplayPaths(found.list, root)
        }

        /// The folder of the packs relative to the working directory, with `/` at the end.
        private static func displayRoot(of location: PackLocation) -> String {
            let currentFolder = FileManager.default.currentDirectoryPath + "/"
            let root = location.root.path.hasSuffix("/") ? location.root.path : location.root.path + "/"
            return root == currentFolder
                ? "" : root.hasPrefix(currentFolder) ? String(root.dropFirst(currentFolder.count)) : root
        }

        private func withDisplayPaths(_ found: [PackFault], _ root: String) -> [PackFault] {
            found.map { PackFault(file: root + $0.file, line: $0.line, message: $0.message) }
        }
    }
}
