import Postgres
import SaunterCore
import SaunterPacks

/// Everything that was ever published of a study, which alone decides what files and columns its dataset has.
package struct StudyDefinitions: Sendable {
    /// One published version.
    package struct Version: Sendable {
        package let version: String
        package let digest: String
        package let study: Study
    }

    package let code: String
    /// In the order of publication; never empty.
    package let versions: [Version]
    /// The version that is live.
    package let live: String
    /// In the newest version's order, then those that it no longer has.
    package let instruments: [InstrumentHistory]

    /// - Parameter live: nil for the version that was published last.
    init(code: String, versions: [Version], live: String? = nil) {
        self.code = code
        self.versions = versions
        self.live = live ?? versions[versions.count - 1].version
        var codes: [String] = []
        for version in versions.reversed() {
            for questionnaire in version.study.questionnaires where !codes.contains(questionnaire.code) {
                codes.append(questionnaire.code)
            }
        }
        instruments = codes.map { code in
            InstrumentHistory(
                code: code, published: versions.flatMap { $0.study.questionnaires }.filter { $0.code == code }
            )
        }
    }

    /// Reads every version as it was published.
    /// - Throws: `DatasetFault` when there is none, or one cannot be read.
    static func read(_ code: String, rows: Rows) throws -> StudyDefinitions {
        guard !rows.isEmpty else { throw DatasetFault.unknownStudy(code) }
        let versions = try rows.map { row in
            let version = try row.get("version", as: String.self)
            let members = try JSONReader.read(try row.get("files", as: String.self)).object ?? [:]
            var files: [String: String] = [:]
            for member in members { files[member.name] = member.value.string }
            do {
                let pack = try StudyPack.read(PackFiles(files: files), study: code, isPublished: true)
                return Version(version: version, digest: try row.get("digest"), study: pack.study)
            } catch let faults as PackFaults {
                throw DatasetFault.unreadableVersion(version, faults: faults.list.map(\.description))
            }
        }
        let live = try rows.first { try $0.get("is_live", as: Bool.self) }?.get("version", as: String.self)
        return StudyDefinitions(code: code, versions: versions, live: live)
    }

    /// The study as it is now.
    package var newest: Study { versions[versions.count - 1].study }

    /// Codes of arms, those of the newest version first.
    package var arms: [String] {
        var codes: [String] = []
        for version in versions.reversed() {
            for arm in version.study.arms where !codes.contains(arm.code) { codes.append(arm.code) }
        }
        return codes
    }

    /// The same with only some of its instruments.
    func keeping(_ codes: [String]) -> StudyDefinitions {
        codes.isEmpty
            ? self
            : StudyDefinitions(
                code: code, versions: versions, live: live,
                instruments: instruments.filter { codes.contains($0.code) })
    }

    /// By which keys sheets are scored now.
    var scoringInForce: ScoringInForce { ScoringInForce(versions.map(\.study), live: live) }

    private init(code: String, versions: [Version], live: String, instruments: [InstrumentHistory]) {
        self.code = code
        self.versions = versions
        self.live = live
        self.instruments = instruments
    }
}
