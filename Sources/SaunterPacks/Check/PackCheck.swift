import Foundation
import SaunterCore

/// Checks packs on disk: parses all packs at the given paths, runs the test vectors of the instruments, and collects
/// all faults.
package enum PackCheck {
    /// Checks the packs at these paths.
    /// - Parameter paths: folders of packs, files in such folders, or folders to search for packs.
    package static func run(paths: [String]) -> PackReport {
        let search = PackSearch(paths: paths)
        var run = Run(faults: search.faults)
        for location in search.locations { run.check(location) }
        return run.report
    }

    /// The state of one check.
    private struct Run {
        var faults: [PackFault]
        private var instruments: Set<PackLocation> = []
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
            do {
                let files = try PackFiles.load(directory: location.root.appending(path: location.folder).path)
                switch location.kind {
                case .study(let code): check(study: code, files, location)
                case .instrument(let code, let version): check(instrument: code, version, files, location)
                }
            } catch {
                note(error, location)
            }
        }

        /// Checks a study and its instruments.
        private mutating func check(study code: String, _ files: PackFiles, _ location: PackLocation) {
            partialReport.studyCount += 1
            for folder in StudyReferences.folders(of: code, in: files)
            where !files.folder(folder).files.isEmpty {
                let path = location.root.appending(path: folder).path
                if let instrument = PackLocation(directory: path),
                    case .instrument(let code, let version) = instrument.kind
                {
                    check(instrument: code, version, files, instrument)
                }
            }
            var parser = StudyParser(files: files, folder: location.folder)
            let study = parser.study(code: code, skipsRules: false)
            faults += withDisplayPaths(parser.faults, location)
            partialReport.hints += withDisplayPaths(parser.hints, location)
            guard let study, parser.faults.isEmpty else { return }
            partialReport.burden += Self.burden(study)
            let counts = parser.library.collections.map { "\($0.code) \($0.items.count)" }
            if !counts.isEmpty {
                partialReport.libraries.append(
                    "\(study.code), library: items in \(counts.joined(separator: ", "))")
            }
        }

        /// Checks each instrument version once, also if several studies use it.
        private mutating func check(
            instrument code: String, _ version: String, _ files: PackFiles, _ location: PackLocation
        ) {
            guard instruments.insert(location).inserted else { return }
            partialReport.instrumentCount += 1
            do {
                let pack = try InstrumentPack.check(files, code: code, version: version)
                partialReport.vectorCount += pack.vectorCount
                partialReport.hints += withDisplayPaths(pack.hints, location)
            } catch {
                note(error, location)
            }
        }

        private mutating func note(_ found: PackFaults, _ location: PackLocation) {
            faults += withDisplayPaths(found.list, location)
        }

        /// The faults with paths relative to the working directory.
        private func withDisplayPaths(_ found: [PackFault], _ location: PackLocation) -> [PackFault] {
            let currentFolder = FileManager.default.currentDirectoryPath + "/"
            let root = location.root.path.hasSuffix("/") ? location.root.path : location.root.path + "/"
            let displayRoot =
                root == currentFolder
                ? "" : root.hasPrefix(currentFolder) ? String(root.dropFirst(currentFolder.count)) : root
            return found.map { PackFault(file: displayRoot + $0.file, line: $0.line, message: $0.message) }
        }

        /// One line per arm, and one per phase of the arm.
        private static func burden(_ study: Study) -> [String] {
            let burden = Burden(of: study)
            return study.arms.flatMap { arm in
                let whole = line(study, arm, burden.minutesPerDay(arm: arm.code), during: "")
                let maximumMinutes = burden.minutesOfBusiestDay(arm: arm.code)
                let busiest =
                    maximumMinutes > 0
                    ? "; \(tenths(maximumMinutes)) minutes on the busiest day "
                        + "(only schedules that count from enrolment)" : ""
                return [whole + busiest]
                    + study.phases.compactMap { phase in
                        burden.minutesPerDay(arm: arm.code, phase: phase.code).map {
                            line(study, arm, $0, during: ", phase \(phase.code)")
                        }
                    }
            }
        }

        private static func line(_ study: Study, _ arm: Arm, _ minutes: Double, during: String) -> String {
            let walks = study.walking == nil ? "" : ", with one walk a day"
            return "\(study.code), arm \(arm.code)\(during): \(tenths(minutes)) minutes of "
                + "questionnaires a day\(walks)"
        }

        private static func tenths(_ minutes: Double) -> String {
            let tenths = Int((minutes * 10).rounded())
            return "\(tenths / 10).\(tenths % 10)"
        }
    }
}
