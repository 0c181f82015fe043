import SaunterCore

/// The practices of a study in the files of a draft. A practice is an instrument, a reference in `study.yaml`, and an
/// element of `any_time` with `practice: true`.
package struct PracticeFiles: Sendable {
    private let files: PackFiles
    private let study: String
    private let description: JSON
    /// Code -> folder of the version that the study uses.
    private let folders: [String: String]
    /// The codes of the practices, in the order of `any_time`, each once.
    package let codes: [String]

    /// Reads `study.yaml`.
    /// - Throws: the faults of the syntax, if it cannot be read.
    package init(_ files: PackFiles, study: String) throws(PackFaults) {
        self.files = files
        self.study = study
        description = try files.document("studies/\(study)/" + PackPath.study)
        var folders: [String: String] = [:]
        for reference in description["questionnaires"]?.array ?? [] {
            guard let code = reference["code"]?.word, folders[code] == nil else { continue }
            folders[code] = reference["version"]?.word.flatMap { PackPath.instrument(code, $0) }
        }
        self.folders = folders
        // A draft can name a questionnaire many times.
        var known: Set<String> = []
        codes = (description["any_time"]?.array ?? []).compactMap { element in
            guard element["practice"]?.bool == true, let code = element["questionnaire"]?.word,
                known.count < PackFiles.maximumFiles, known.insert(code).inserted
            else { return nil }
            return code
        }
    }

    private var path: String { "studies/\(study)/" + PackPath.study }

    // MARK: - Reading

    /// The languages of the study, each once.
    package var languages: [String] {
        var found: [String] = []
        for language in (description["languages"]?.array ?? []).compactMap(\.word)
        where PackPath.isLanguage(language) && !found.contains(language) && found.count < 50 {
            found.append(language)
        }
        return found
    }

    /// The codes of the study's entitlements.
    package var entitlements: [String] {
        (description["entitlements"]?.array ?? []).compactMap { $0["code"]?.word }
    }

    /// The codes of all questionnaires of the study.
    package var questionnaires: [String] {
        (description["questionnaires"]?.array ?? []).compactMap { $0["code"]?.word }
    }

    /// The folder of the version that the study uses; nil if it has no such questionnaire.
    package func folder(of code: String) -> String? { folders[code] }

    /// The title of a questionnaire in each language that has one. Files that cannot be read have none.
    package func titles(of code: String) -> [String: String] {
        guard let folder = folder(of: code) else { return [:] }
        var titles: [String: String] = [:]
        for language in languages {
            let path = "\(folder)text.\(language).yaml"
            titles[language] =
                files[path].flatMap { try? YAMLEditor($0, file: path) }?.value(at: "/title")?.word
        }
        return titles
    }

    /// A practice; nil if the study has none with this code.
    /// - Throws: the faults of the syntax of its files.
    package func practice(_ code: String) throws(PackFaults) -> Practice? {
        guard codes.contains(code), let folder = folder(of: code) else { return nil }
        let definition = try files.document(folder + PackPath.questionnaire)
        let words = try words(folder, definition)
        func table(_ section: String, _ key: String) -> [String: String] {
            words.compactMapValues { $0[section]?[key]?.word }
        }
        func descendants(_ item: JSON) -> [Practice.Part] {
            (item["item"]?.array ?? []).flatMap { child -> [Practice.Part] in
                let linkID = child["linkId"]?.word ?? ""
                return [Practice.Part(linkID: linkID, text: table("items", linkID))] + descendants(child)
            }
        }
        let exercises = (definition["item"]?.array ?? []).map { item -> Practice.Exercise in
            let linkID = item["linkId"]?.word ?? ""
            let type = item["type"]?.word ?? ""
            return Practice.Exercise(
                linkID: linkID, kind: Self.kind(item), type: type, text: table("items", linkID),
                placeholder: table("placeholders", linkID),
                media: item["media"].flatMap { Self.media($0) }, mediaText: table("media", linkID),
                parts: descendants(item))
        }
        let entry = (description["any_time"]?.array ?? []).first { $0["questionnaire"]?.word == code }
        return Practice(
            code: code, version: folder.split(separator: "/").last.map(String.init) ?? "",
            title: words.compactMapValues { $0["title"]?.word },
            topic: words.compactMapValues { $0["description"]?.word },
            minutes: definition["minutes"]?.double ?? 1, entitlement: entry?["entitlement"]?.word,
            exercises: exercises)
    }

    /// The picture, sound or film of an item; nil if its type or source cannot be read.
    private static func media(_ value: JSON) -> Media? {
        guard let kind = value["type"]?.word.flatMap({ Media.Kind(rawValue: $0) }),
            let source = value["source"]?.word
        else { return nil }
        return Media(kind: kind, source: source)
    }

    /// A story is shown; an input is a text without options. Media that cannot be read make it another exercise,
    /// because the forms would lose them.
    private static func kind(_ item: JSON) -> Practice.Exercise.Kind {
        if let value = item["media"], media(value) == nil { return .other }
        return switch item["type"]?.word {
        case "display": .story
        case "text" where item["repeats"]?.bool != true: .input
        default: .other
        }
    }

    /// Language -> the values of its file of words. A language without a file has none.
    private func words(_ folder: String, _ definition: JSON) throws(PackFaults) -> [String: JSON] {
        var words: [String: JSON] = [:]
        for language in (definition["languages"]?.array ?? []).compactMap(\.word)
        where PackPath.isLanguage(language) {
            let path = "\(folder)text.\(language).yaml"
            if files[path] != nil { words[language] = try files.document(path) }
        }
        return words
    }

    // MARK: - Writing

    /// The files with a new practice, or with other contents of a practice. Definitions of exercises that stay keep
    /// all members which a `Practice` does not have. An exercise of the kind `other` only gets other words.
    /// - Throws: the faults of files that cannot be read, or whose layout cannot be changed.
    package func writing(_ practice: Practice) throws(PackFaults) -> PackFiles {
        var result = files.files
        let folder =
            self.folder(of: practice.code) ?? "instruments/\(practice.code)/\(practice.version)/"
        let isNew = files[folder + PackPath.questionnaire] == nil
        let definition: JSON =
            try isNew ? self.definition(of: practice) : files.document(folder + PackPath.questionnaire)
        let changed = Self.definition(definition, practice, known: languages)
        let path = folder + PackPath.questionnaire
        result[path] = try YAMLChange.text(files[path], file: path, values: changed)
        let gone = Self.linkIDs(definition["item"]).subtracting(Self.linkIDs(changed["item"]))
        for language in (changed["languages"]?.array ?? []).compactMap(\.word)
        where PackPath.isLanguage(language) {
            let path = "\(folder)text.\(language).yaml"
            let before = try files[path].map { text throws(PackFaults) in
                try YAMLDocument.json(text, name: path)
            }
            let after = Self.words(before ?? [:], practice, language, without: gone)
            result[path] = try YAMLChange.text(files[path], file: path, values: after)
        }
        if isNew { result[folder + "SOURCE.md"] = Self.source }
        removeMedia(of: folder, before: definition, after: changed, from: &result)
        result[self.path] = try references(to: practice, folder)
        return PackFiles(files: result)
    }

    private static let source = "# Source\n\nWritten by the editors of the study.\n"

    private func definition(of practice: Practice) -> JSON {
        [
            "code": .string(practice.code), "version": .string(practice.version),
            "languages": .array(languages.map(JSON.string)), "minutes": .double(practice.minutes), "item": [],
        ]
    }

    /// The values of `questionnaire.yaml` with the exercises of the practice.
    /// - Parameter known: the languages of the study.
    private static func definition(_ before: JSON, _ practice: Practice, known: [String]) -> JSON {
        var object = before.object ?? JSONObject()
        let own = (before["languages"]?.array ?? []).compactMap(\.word)
        let used = practice.languages
        let added = known.filter { used.contains($0) && !own.contains($0) }
        if !added.isEmpty { object["languages"] = .array((own + added).map(JSON.string)) }
        if before["minutes"]?.double != practice.minutes { object["minutes"] = .double(practice.minutes) }
        let items = Dictionary(
            (before["item"]?.array ?? []).map { ($0["linkId"]?.word ?? "", $0) },
            uniquingKeysWith: { first, _ in first })
        object["item"] = .array(practice.exercises.map { item($0, items[$0.linkID]) })
        return .object(object)
    }

    private static func item(_ exercise: Practice.Exercise, _ before: JSON?) -> JSON {
        if let before, exercise.kind == .other { return before }
        // Members such as the maximum length belong to the type.
        let new: JSONObject = [
            "linkId": .string(exercise.linkID), "type": exercise.kind == .story ? "display" : "text",
        ]
        var object = before.flatMap { kind($0) == exercise.kind ? $0.object : nil } ?? new
        object["media"] = exercise.media.map { media -> JSON in
            ["type": .string(media.kind.rawValue), "source": .string(media.source)]
        }
        return .object(object)
    }

    private static func linkIDs(_ items: JSON?) -> Set<String> {
        (items?.array ?? []).reduce(into: []) { found, item in
            if let linkID = item["linkId"]?.word { found.insert(linkID) }
            found.formUnion(linkIDs(item["item"]))
        }
    }

    /// The sections of a file of words whose keys are link ids.
    private static let sections = [
        "items", "placeholders", "media", "help", "options", "anchors", "option_media",
    ]

    /// The values of a file of words with those of the practice.
    /// - Parameter gone: the link ids of removed exercises.
    private static func words(
        _ before: JSON, _ practice: Practice, _ language: String, without gone: Set<String>
    ) -> JSON {
        var object = before.object ?? JSONObject()
        object["title"] = practice.title[language].map(JSON.string)
        object["description"] = practice.topic[language].map(JSON.string)
        var tables: [String: JSONObject] = [:]
        for section in sections { tables[section] = object[section]?.object }
        for linkID in gone {
            for section in sections { tables[section]?[linkID] = nil }
        }
        func set(_ section: String, _ linkID: String, _ text: String?) {
            tables[section, default: JSONObject()][linkID] = text.map(JSON.string)
        }
        for exercise in practice.exercises {
            set("items", exercise.linkID, exercise.text[language])
            for part in exercise.parts { set("items", part.linkID, part.text[language]) }
            set("placeholders", exercise.linkID, exercise.placeholder[language])
            let hasMedia = exercise.media != nil || exercise.kind == .other
            set("media", exercise.linkID, hasMedia ? exercise.mediaText[language] : nil)
        }
        for section in sections {
            let isOwn = section == "items" || object[section] != nil || tables[section]?.isEmpty == false
            guard isOwn, let table = tables[section] ?? (section == "items" ? JSONObject() : nil) else {
                continue
            }
            object[section] = table.isEmpty && section != "items" ? nil : .object(table)
        }
        return .object(object)
    }

    /// Removes the files that only the definition before used.
    private func removeMedia(
        of folder: String, before: JSON, after: JSON, from result: inout [String: String]
    ) {
        for source in Self.sources(before["item"]).subtracting(Self.sources(after["item"]))
        where source.hasPrefix(PackPath.media) { result[folder + source] = nil }
    }

    private static func sources(_ value: JSON?) -> Set<String> {
        switch value {
        case .array(let elements): elements.reduce(into: []) { $0.formUnion(sources($1)) }
        case .object(let object):
            object.reduce(into: []) { found, member in
                if member.name == "source", let source = member.value.word { found.insert(source) }
                found.formUnion(sources(member.value))
            }
        case nil, .null, .bool, .number, .string: []
        }
    }

    // MARK: - study.yaml

    private func references(to practice: Practice, _ folder: String) throws(PackFaults) -> String {
        var study = YAMLListEditor(files[path] ?? "", file: path)
        if self.folder(of: practice.code) == nil {
            try study.append(
                .init("{code: \(practice.code), version: \(practice.version)}"), to: "questionnaires")
        }
        let entries = description["any_time"]?.array ?? []
        var entry = JSONObject()
        let index = entries.firstIndex { ($0.word ?? $0["questionnaire"]?.word) == practice.code }
        if let index { entry = entries[index].object ?? JSONObject() }
        if entry.isEmpty { entry["questionnaire"] = .string(practice.code) }
        entry["practice"] = true
        entry["entitlement"] = practice.entitlement.map(JSON.string)
        if let index, YAMLChange.isSame(entries[index], .object(entry)) { return study.text }
        let element = YAMLListEditor.Element(try flow(.object(entry)))
        if let index {
            try study.change(elementAt: index, of: "any_time", to: element)
        } else {
            try study.append(element, to: "any_time")
        }
        return study.text
    }

    private func flow(_ value: JSON) throws(PackFaults) -> String {
        do {
            return try YAMLBlock.flow(value)
        } catch {
            throw PackFaults([PackFault(file: path, line: error.line, message: error.message)])
        }
    }

    /// The files without a practice: its reference, its element of `any_time`, and the instrument.
    /// - Throws: the faults of `study.yaml`, if its layout cannot be changed.
    package func removing(_ code: String) throws(PackFaults) -> PackFiles {
        var study = YAMLListEditor(files[path] ?? "", file: path)
        let entries = description["any_time"]?.array ?? []
        if let index = entries.firstIndex(where: { ($0.word ?? $0["questionnaire"]?.word) == code }) {
            try study.change(elementAt: index, of: "any_time", to: nil)
        }
        let references = description["questionnaires"]?.array ?? []
        if let index = references.firstIndex(where: { $0["code"]?.word == code }) {
            try study.change(elementAt: index, of: "questionnaires", to: nil)
        }
        let folder = folder(of: code)
        var result = files.files.filter { file in folder.map { !file.key.hasPrefix($0) } ?? true }
        result[path] = study.text
        return PackFiles(files: result)
    }
}

extension Practice {
    /// The languages in which the practice has any words.
    package var languages: Set<String> {
        var found = Set(title.keys).union(topic.keys)
        for exercise in exercises {
            found.formUnion(exercise.text.keys)
            found.formUnion(exercise.placeholder.keys)
            found.formUnion(exercise.mediaText.keys)
            for part in exercise.parts { found.formUnion(part.text.keys) }
        }
        return found
    }
}
