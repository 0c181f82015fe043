import SaunterCore
import SaunterPacks

/// Why a file cannot be imported into a pack: all reasons. The list is never empty.
package struct ImportErrors: Error, Sendable, Hashable {
    /// In the order of the file.
    package let list: [ImportError]
}

/// An import of a file into the files of a study's pack: all of its questionnaires, or nothing.
package struct PackImport: Sendable {
    /// What happens if the pack has an instrument of this code and version with other content.
    package enum Collision: String, Sendable, CaseIterable {
        /// The import is rejected.
        case refuse
        /// The instrument becomes the next version.
        case nextVersion = "next_version"
    }

    /// When the questionnaires of a file are asked.
    package struct Schedule: Sendable {
        /// How often.
        package let frequency: AddedQuestionnaire.Frequency
        /// See `AddedQuestionnaire.window`.
        package let window: (open: LocalTime, close: LocalTime)?

        /// - Parameter window: required for `daily` and `weekly`.
        package init(
            _ frequency: AddedQuestionnaire.Frequency, window: (open: LocalTime, close: LocalTime)? = nil
        ) {
            self.frequency = frequency
            self.window = window
        }
    }

    /// One imported questionnaire.
    package struct Entry: Sendable {
        /// The instrument, with the version that it has in the pack.
        package let instrument: ImportedInstrument
        /// Whether the pack had no instrument of this code and version.
        package let isNew: Bool
        /// What became of the reference in `study.yaml`.
        package var reference = AddedQuestionnaire.Change.none
        /// What became of the schedule, or of the entry in `any_time`.
        package var schedule = AddedQuestionnaire.Change.none
    }

    /// The files of the pack after the import, by path.
    package private(set) var files: [String: String]
    /// In the order of the file.
    package private(set) var entries: [Entry] = []

    /// Imports a file.
    /// - Parameters:
    ///   - name: the name of the instrument if the file does not contain one; usually the file name.
    ///   - schedule: if set, the questionnaires are added to the study; otherwise only their files are.
    /// - Throws: all reasons why questionnaires of the file cannot be imported.
    package init(
        _ bytes: [UInt8], format: QuestionnaireImport.Format, name: String, allowsFreeText: Bool = false,
        into files: [String: String], study: String, collision: Collision = .refuse, schedule: Schedule? = nil
    ) throws(ImportErrors) {
        self.files = files
        func read(_ versions: [String: String]) throws(ImportErrors) -> [ImportedInstrument] {
            var reader = QuestionnaireImport(format, allowsFreeText: allowsFreeText, versions: versions)
            var errors: [ImportError] = []
            var instruments: [ImportedInstrument] = []
            for result in reader.read(bytes, name: name) {
                switch result {
                case .success(let instrument): instruments.append(instrument)
                case .failure(let error): errors.append(error)
                }
            }
            guard errors.isEmpty else { throw ImportErrors(list: errors) }
            return instruments
        }
        var instruments = try read([:])
        if collision == .nextVersion {
            // The latest version possibly has the content of the file, because the file was imported before.
            for candidate in [Self.latestVersion, Self.nextVersion] {
                let versions = Self.versions(instruments, in: files, candidate)
                if !versions.isEmpty { instruments = try read(versions) }
            }
        }
        var errors: [ImportError] = []
        for instrument in instruments {
            do throws(ImportError) {
                try add(instrument, schedule, study)
            } catch {
                errors.append(error)
            }
        }
        guard errors.isEmpty else { throw ImportErrors(list: errors) }
    }

    private mutating func add(_ instrument: ImportedInstrument, _ schedule: Schedule?, _ study: String)
        throws(ImportError)
    {
        let code = instrument.questionnaire.code
        if Self.collides(instrument, with: files) {
            let next = Self.nextVersion(of: code, in: files) ?? ""
            throw ImportError(
                location: "",
                detail:
                    "\(instrument.folder) is already in the pack with other content. Import it as version "
                    + "\(next), or remove the earlier one")
        }
        if let large = instrument.files.first(where: { $0.value.utf8.count > PackFiles.maximumFileBytes }) {
            throw ImportError(
                location: "",
                detail: "\(large.key) would be larger than \(PackFiles.maximumFileBytes >> 20) MiB")
        }
        let isNew = files[instrument.folder + "/" + PackPath.questionnaire] == nil
        files.merge(instrument.files) { _, new in new }
        var entry = Entry(instrument: instrument, isNew: isNew)
        if let schedule {
            let added = AddedQuestionnaire(
                code: code, version: instrument.questionnaire.version, frequency: schedule.frequency,
                window: schedule.window)
            do throws(PackFaults) {
                let result = try added.add(to: PackFiles(files: files), study: study)
                files = result.files
                (entry.reference, entry.schedule) = (result.reference, result.schedule)
            } catch {
                throw ImportError(
                    location: "\(error.list[0].file):\(error.list[0].line)", detail: error.list[0].message)
            }
        }
        entries.append(entry)
    }

    // MARK: Versions

    /// Whether the pack has an instrument of this code and version with other content.
    private static func collides(_ instrument: ImportedInstrument, with files: [String: String]) -> Bool {
        let present = files.filter { $0.key.hasPrefix(instrument.folder + "/") }
        return !present.isEmpty
            && PackFiles(files: present).digest != PackFiles(files: instrument.files).digest
    }

    /// The versions that the colliding instruments get.
    private static func versions(
        _ instruments: [ImportedInstrument], in files: [String: String],
        _ version: (_ code: String, _ files: [String: String]) -> String?
    ) -> [String: String] {
        guard instruments.contains(where: { collides($0, with: files) }) else { return [:] }
        return instruments.reduce(into: [:]) { versions, instrument in
            let questionnaire = instrument.questionnaire
            // The versions that were found before are kept.
            versions[questionnaire.code] =
                collides(instrument, with: files) ? version(questionnaire.code, files) : questionnaire.version
        }
    }

    /// The highest version of an instrument in the pack; nil if it has none.
    private static func latestVersion(of code: String, in files: [String: String]) -> String? {
        let prefix = "instruments/\(code)/"
        return files.keys.filter { $0.hasPrefix(prefix) }
            .compactMap { $0.dropFirst(prefix.count).split(separator: "/").first.map(String.init) }
            .filter(PackPath.isVersion).max { numbers($0).lexicographicallyPrecedes(numbers($1)) }
    }

    /// The version after the highest one in the pack; nil if there is none.
    private static func nextVersion(of code: String, in files: [String: String]) -> String? {
        guard let latest = latestVersion(of: code, in: files) else { return nil }
        var numbers = numbers(latest)
        numbers[2] += 1
        return numbers.map(String.init).joined(separator: ".")
    }

    private static func numbers(_ version: String) -> [Int] {
        version.split(separator: ".").map { Int($0) ?? 0 }
    }
}
