import Postgres
import SaunterCore
import SaunterExchange
import SaunterPacks

/// Everything that was published of a study. With the export profile, the filters and the months of the walks, it
/// determines the files and columns of the dataset.
package struct StudyDefinitions: Sendable {
    /// One published version.
    package struct Version: Sendable {
        /// The number of the version.
        package let version: String
        /// The digest of the published pack.
        package let digest: String
        /// The parsed definition.
        package let study: Study
        /// The published files.
        package var files = PackFiles(files: [:])
        /// "code version" of an instrument -> its names in the FHIR questionnaire that it was imported from.
        let fhirMappings: [String: FHIRSourceMapping]
    }

    /// One published edition of the content library.
    struct Edition: Sendable {
        /// From 1.
        let edition: Int
        /// The digest of its files.
        let digest: String
        /// Path -> text; for media the digest.
        let files: JSON
        /// When it was published.
        let publishedAt: Instant
    }

    /// The code of the study.
    package let code: String
    /// The editions of the content library, in their order. Only a dataset reads them.
    var editions: [Edition] = []
    /// The modules of all programmes in any edition. Only a dataset reads them.
    var programmeModules: [ProgrammeModule] = []
    /// The labels of the items of the live edition. Only a dataset reads them.
    var contentLabels = ContentLabels.none
    /// Whether coordinators have sent messages to many participants. Only a dataset reads it.
    var hasBroadcasts = false
    /// Code -> letter of each arm if readers are blinded; nil if they see codes.
    var armNames: ArmNames?
    /// In the order of publication; never empty.
    package let versions: [Version]
    /// The live version.
    package let live: String
    /// The language of labels: the first language of the newest version, unless another was requested.
    package let language: String
    /// The instruments of the newest version in its order, then the removed ones.
    package let instruments: [InstrumentHistory]

    /// - Parameter live: the live version; nil means the version that was published last.
    init(code: String, versions: [Version], live: String? = nil) {
        self.code = code
        self.versions = versions
        self.live = live ?? versions[versions.count - 1].version
        let language = versions[versions.count - 1].study.languages.first ?? "en"
        self.language = language
        var codes: [String] = []
        for version in versions.reversed() {
            for questionnaire in version.study.questionnaires where !codes.contains(questionnaire.code) {
                codes.append(questionnaire.code)
            }
        }
        instruments = codes.map { code in
            InstrumentHistory(
                code: code,
                published: versions.flatMap { $0.study.questionnaires }.filter { $0.code == code },
                language: language)
        }
    }

    /// Parses every published version.
    /// - Throws: `DatasetFault` if there is no version or if a version cannot be parsed.
    static func read(_ code: String, rows: Rows) throws -> StudyDefinitions {
        guard !rows.isEmpty else { throw DatasetFault.unknownStudy(code) }
        let versions = try rows.map { row in
            let version = try row.get("version", as: String.self)
            let members = try JSONReader.read(try row.get("files", as: String.self)).object ?? [:]
            var files: [String: String] = [:]
            for member in members { files[member.name] = member.value.string }
            do {
                let pack = PackFiles(files: files)
                let study = try StudyPack.read(pack, study: code, isPublished: true).study
                return Version(
                    version: version, digest: try row.get("digest"), study: study, files: pack,
                    fhirMappings: fhirMappings(study, pack))
            } catch let faults as PackFaults {
                throw DatasetFault.unreadableVersion(version, faults: faults.list.map(\.description))
            }
        }
        let live = try rows.first { try $0.get("is_live", as: Bool.self) }?.get("version", as: String.self)
        return StudyDefinitions(code: code, versions: versions, live: live)
    }

    /// The texts of the newest version in the language of labels, or else in its first language.
    var studyText: StudyText? {
        newest.text[language] ?? newest.languages.first.flatMap { newest.text[$0] }
    }

    private static func fhirMappings(_ study: Study, _ files: PackFiles) -> [String: FHIRSourceMapping] {
        var mappings: [String: FHIRSourceMapping] = [:]
        for questionnaire in study.questionnaires {
            let preserved = PreservedMembers(
                files, code: questionnaire.code, version: questionnaire.version)
            mappings["\(questionnaire.code) \(questionnaire.version)"] = FHIRSourceMapping(preserved)
        }
        return mappings
    }

    /// The codes of the instruments that contain settings in some version.
    var settings: [String] {
        instruments.map(\.code).filter { code in
            versions.contains { $0.study.settings.contains(code) }
        }
    }

    /// Whether some version has variables.
    var hasVariables: Bool { versions.contains { !$0.study.variables.isEmpty } }

    /// The names of a questionnaire in the FHIR questionnaire that it was imported from.
    package func fhirMapping(of questionnaire: Questionnaire) -> FHIRSourceMapping {
        let key = "\(questionnaire.code) \(questionnaire.version)"
        return versions.lazy.compactMap { $0.fhirMappings[key] }.first ?? FHIRSourceMapping()
    }

    /// The newest version of the study.
    package var newest: Study { versions[versions.count - 1].study }

    /// The live version of the study.
    var liveStudy: Study { versions.last { $0.version == live }?.study ?? newest }

    /// The languages of all versions; those of the newest version are first.
    package var languages: [String] {
        var languages: [String] = []
        for language in versions.reversed().flatMap(\.study.languages) where !languages.contains(language) {
            languages.append(language)
        }
        return languages
    }

    /// Codes of arms, those of the newest version first; letters in their order if readers are blinded.
    package var arms: [String] {
        if let armNames { return armNames.names }
        var codes: [String] = []
        for version in versions.reversed() {
            for arm in version.study.arms where !codes.contains(arm.code) { codes.append(arm.code) }
        }
        return codes
    }

    /// A copy with only the instruments of the given codes, with labels in the given language.
    /// - Parameters:
    ///   - codes: an empty list keeps all instruments.
    ///   - language: nil keeps the language.
    func limited(to codes: [String], language: String?) -> StudyDefinitions {
        let language = language ?? self.language
        let kept = instruments.filter { codes.isEmpty || codes.contains($0.code) }
        var limited = StudyDefinitions(
            code: code, versions: versions, live: live, language: language,
            instruments: kept.map { instrument in
                var instrument = instrument
                instrument.language = language
                return instrument
            })
        limited.armNames = armNames
        limited.editions = editions
        limited.programmeModules = programmeModules
        limited.contentLabels = contentLabels
        limited.hasBroadcasts = hasBroadcasts
        return limited
    }

    /// A copy for readers who are blinded: arms have letters in place of codes, and the published files, which contain
    /// the codes, are left out.
    /// - Parameter names: letters for the arms of all versions.
    func blinded(by names: ArmNames) -> StudyDefinitions {
        var blinded = StudyDefinitions(
            code: code,
            versions: versions.map {
                Version(
                    version: $0.version, digest: $0.digest, study: $0.study.blinded(by: names),
                    fhirMappings: $0.fhirMappings)
            }, live: live, language: language, instruments: instruments)
        blinded.armNames = names
        blinded.editions = editions
        blinded.programmeModules = programmeModules
        blinded.contentLabels = contentLabels
        blinded.hasBroadcasts = hasBroadcasts
        return blinded
    }

    /// The definitions with letters for arms if there is a secret that orders them; otherwise as they are.
    func shown(blindingSecret: [UInt8]?) -> StudyDefinitions {
        blindingSecret.map { blinded(by: letters(secret: $0)) } ?? self
    }

    /// Letters for the arms of all versions.
    func letters(secret: [UInt8]) -> ArmNames { ArmNames(blinding: arms, of: code, secret: secret) }

    /// Code -> letter as a JSON object, for statements; empty if readers see codes.
    var armLetters: String {
        guard let armNames else { return "" }
        let members = armNames.namesByCode.sorted { $0.key < $1.key }
            .map { JSONObject.Member(name: $0.key, value: .string($0.value)) }
        return JSON.object(JSONObject(members)).text
    }

    /// The scoring keys that score sheets now.
    var activeScoringKeys: ActiveScoringKeys { ActiveScoringKeys(versions.map(\.study), live: live) }

    /// The scales of the active keys of an instrument: those of its newest version, then those that only older versions
    /// have.
    func scales(of instrument: InstrumentHistory) -> [String] {
        let activeKeys = activeScoringKeys
        var scales: [String] = []
        for version in instrument.versions.reversed() {
            for scale in activeKeys[instrument.code, version.version]?.scales ?? []
            where !scales.contains(scale) { scales.append(scale) }
        }
        return scales
    }

    private init(
        code: String, versions: [Version], live: String, language: String, instruments: [InstrumentHistory]
    ) {
        self.code = code
        self.versions = versions
        self.live = live
        self.language = language
        self.instruments = instruments
    }
}
