import Foundation
import SaunterCore

/// Checks packs on disk: reads every one that the paths stand for, runs the worked cases of its instruments, and gathers
/// all faults.
package enum PackCheck {
    /// - Parameter paths: folders of packs, files in them, or folders in which packs are searched for.
    package static func run(paths: [String]) -> PackReport {
        let search = PackSearch(paths: paths)
        var gathered = Gathering(faults: search.faults)
        for place in search.places { gathered.check(place) }
        return gathered.report
    }

    private struct Gathering {
        var faults: [PackFault]
        private var instruments: Set<PackPlace> = []
        private var counts = PackReport()

        init(faults: [PackFault]) {
            self.faults = faults
        }

        var report: PackReport {
            var report = counts
            report.faults = PackFaults(faults).list
            return report
        }

        mutating func check(_ place: PackPlace) {
            do {
                let files = try PackFiles.load(directory: place.root.appending(path: place.folder).path)
                switch place.kind {
                case .study(let code): check(study: code, files, place)
                case .instrument(let code, let version): check(instrument: code, version, files, place)
                }
            } catch {
                note(error, place)
            }
        }

        private mutating func check(study code: String, _ files: PackFiles, _ place: PackPlace) {
            counts.studyCount += 1
            for folder in StudyReferences.folders(of: code, in: files)
            where !files.folder(folder).files.isEmpty {
                let path = place.root.appending(path: folder).path
                if let instrument = PackPlace(directory: path),
                    case .instrument(let code, let version) = instrument.kind
                {
                    check(instrument: code, version, files, instrument)
                }
            }
            var reading = StudyReading(files: files, folder: place.folder)
            let study = reading.study(code: code, isJudged: false)
            faults += shown(reading.faults, place)
            counts.hints += shown(reading.hints, place)
            if let study, reading.faults.isEmpty { counts.burden += Self.burden(study) }
        }

        /// Each version is counted once, however many studies use it.
        private mutating func check(
            instrument code: String, _ version: String, _ files: PackFiles, _ place: PackPlace
        ) {
            guard instruments.insert(place).inserted else { return }
            counts.instrumentCount += 1
            do {
                let pack = try InstrumentPack.check(files, code: code, version: version)
                counts.vectorCount += pack.vectorCount
                counts.hints += shown(pack.hints, place)
            } catch {
                note(error, place)
            }
        }

        private mutating func note(_ found: PackFaults, _ place: PackPlace) {
            faults += shown(found.list, place)
        }

        private func shown(_ found: [PackFault], _ place: PackPlace) -> [PackFault] {
            let here = FileManager.default.currentDirectoryPath + "/"
            let root = place.root.path.hasSuffix("/") ? place.root.path : place.root.path + "/"
            let shown = root == here ? "" : root.hasPrefix(here) ? String(root.dropFirst(here.count)) : root
            return found.map { PackFault(file: shown + $0.file, line: $0.line, message: $0.message) }
        }

        private static func burden(_ study: Study) -> [String] {
            let burden = Burden(of: study)
            return study.arms.flatMap { arm in
                let whole = line(study, arm, burden.minutesPerDay(arm: arm.code), during: "")
                let most = burden.minutesOfBusiestDay(arm: arm.code)
                let busiest =
                    most > 0 ? "; on the busiest day \(tenths(most)) of what counts from enrolment" : ""
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
