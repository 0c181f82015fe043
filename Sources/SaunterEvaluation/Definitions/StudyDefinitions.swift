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
    /// In the newest version's order, then those that it no longer has.
    package let instruments: [InstrumentHistory]

    init(code: String, versions: [Version]) {
        self.code = code
        self.versions = versions
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
                let pack = try StudyPack.read(PackFiles(files: files), study: code)
                return Version(version: version, digest: try row.get("digest"), study: pack.study)
            } catch let faults as PackFaults {
                throw DatasetFault.unreadableVersion(version, faults: faults.list.map(\.description))
            }
        }
        return StudyDefinitions(code: code, versions: versions)
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
                code: code, versions: versions, instruments: instruments.filter { codes.contains($0.code) })
    }

    private init(code: String, versions: [Version], instruments: [InstrumentHistory]) {
        self.code = code
        self.versions = versions
        self.instruments = instruments
    }
}
