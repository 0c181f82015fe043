import SaunterCore

/// Parses one collection: `<code>.yaml` with its items in the same file or in `<code>.csv`, and its words in
/// `<code>.<language>.csv` or `<code>.<language>.yaml`.
struct CollectionParser {
    private static let keys = [
        "title", "fields", "items", "select", "where", "variant", "offline", "visible",
    ]

    private(set) var faults: [PackFault] = []
    private let used: UsedFiles
    private let files: PackFiles
    private let folder: String
    private let code: String
    private let study: Study
    /// Whether the library is a stored edition. The study version can then be another one than that for which the
    /// edition was published, so it possibly does not have all that the collection names.
    private let isPublished: Bool

    init(
        files: PackFiles, folder: String, code: String, study: Study, isPublished: Bool, used: UsedFiles
    ) {
        self.used = used
        self.files = files
        self.folder = folder
        self.code = code
        self.study = study
        self.isPublished = isPublished
    }

    /// Nil, with faults, if the file is not a mapping or has no fields.
    mutating func collection() -> ContentCollection? {
        let path = folder + code + ".yaml"
        let log = FaultLog(file: path)
        defer { faults += log.faults }
        if !PackPath.isInstrumentCode(code) {
            log.note(1, "\"\(code.prefix(60))\" is not a code: lower-case letters, digits and _")
        }
        guard let root = YAMLReader.read(files[path] ?? "", log: log),
            let fields = Fields(root, of: "a collection", keys: Self.keys, log: log),
            let declared = fields.required("fields", Self.fields)
        else { return nil }
        var collection = ContentCollection(
            code: code, title: fields.required("title", title) ?? [:], fields: declared,
            selections: fields.optional("select", Self.selections) ?? .list,
            condition: fields.optional("where") { $0.text($1) },
            variantSetting: fields.optional("variant", Self.setting),
            isOffline: fields.optional("offline", Self.always) ?? false,
            isPublic: fields.optional("visible", Self.anyone) ?? false)
        if !isPublished { check(collection, fields) }
        var items = ContentItemParser(
            files: files, folder: folder, code: code, fields: declared, study: study,
            isPublished: isPublished, used: used)
        collection.items = items.items(fields["items"], log)
        faults += items.faults
        if !isPublished {
            checkArms(of: collection, fields)
            checkEntitlements(of: collection, fields)
        }
        return collection
    }

    // MARK: Keys

    private func title(_ node: YAMLNode, _ log: FaultLog) -> [String: String]? {
        let titles = node.table(log) { $0.text($1) }
        guard !isPublished else { return titles }
        for language in study.languages where titles != nil && titles?[language] == nil {
            log.note(node.line, "the title in the language \(language) is missing")
        }
        for language in titles?.keys.sorted() ?? [] where !study.languages.contains(language) {
            log.noteUnknownKey(node.line, "the study has no language \(language.prefix(20))")
        }
        return titles
    }

    static func fields(_ node: YAMLNode, _ log: FaultLog) -> [ContentField]? {
        guard let entries = node.entries(log, atMost: 40) else { return nil }
        if entries.isEmpty { log.note(node.line, "a collection needs at least one field") }
        return entries.compactMap { entry in
            guard PackPath.isInstrumentCode(entry.key), !ContentItemParser.ownColumns.contains(entry.key)
            else {
                log.note(entry.line, "\"\(entry.key.prefix(60))\" cannot be the name of a field")
                return nil
            }
            return field(entry.key, entry.value, log)
        }
    }

    /// Parses `text`, or `{type: text, maxLength: 200}`, or `{type: media, kind: audio, variants: [a, b]}`.
    private static func field(_ name: String, _ node: YAMLNode, _ log: FaultLog) -> ContentField? {
        if case .scalar = node.content {
            let kind: ContentField.Kind? = node.choice(log)
            if kind == .media {
                log.note(node.line, "a media field needs a kind: {type: media, kind: image}")
            }
            return kind.map { ContentField(name: name, kind: $0) }
        }
        let keys = ["type", "maxLength", "kind", "variants"]
        guard let fields = Fields(node, of: "a field", keys: keys, log: log) else { return nil }
        let kind: ContentField.Kind? = fields.required("type") { $0.choice($1) }
        let length = fields.optional("maxLength") { $0.integer($1) }
        let mediaKind: MediaFormat.Kind? = fields.optional("kind") { $0.choice($1) }
        let variants = fields.optional("variants") { $0.list($1, atMost: 20) { $0.text($1) } } ?? []
        guard let kind else { return nil }
        if let length, kind.maximumLength.map({ !(1...$0).contains(length) }) ?? true {
            log.note(
                fields.line(of: "maxLength"),
                kind.maximumLength.map { "maxLength must be 1 to \($0)" } ?? "this type has no maxLength")
        }
        if kind == .media, mediaKind == nil {
            log.note(node.line, "a media field needs a kind: image, audio or video")
        }
        if kind != .media, mediaKind != nil || !variants.isEmpty {
            log.note(node.line, "only a media field has `kind` and `variants`")
        }
        if Set(variants).count < variants.count { log.note(node.line, "a variant occurs twice") }
        return ContentField(
            name: name, kind: kind, maximumLength: length, mediaKind: mediaKind, variants: variants)
    }

    /// Parses `{list: true, daily: {per: person}, draw: true}`.
    private static func selections(_ node: YAMLNode, _ log: FaultLog) -> ContentCollection.Selections? {
        guard let fields = Fields(node, of: "select", keys: ["list", "daily", "draw"], log: log) else {
            return nil
        }
        var selections: ContentCollection.Selections = []
        if fields.optional("list", { $0.boolean($1) }) == true { selections.insert(.list) }
        if fields.optional("draw", { $0.boolean($1) }) == true { selections.insert(.draw) }
        if let daily = fields.optional("daily", daily) { selections.insert(daily) }
        return selections
    }

    private static func daily(_ node: YAMLNode, _ log: FaultLog) -> ContentCollection.Selections? {
        guard let fields = Fields(node, of: "daily", keys: ["per"], log: log) else { return nil }
        return fields.required("per") { node, log in
            switch node.scalar?.text {
            case "person": return .dailyForParticipant
            case "study": return .dailyForStudy
            default:
                log.note(node.line, "expected person or study")
                return nil
            }
        }
    }

    private static func setting(_ node: YAMLNode, _ log: FaultLog) -> String? {
        Fields(node, of: "variant", keys: ["setting"], log: log)?.required("setting") { $0.text($1) }
    }

    private static func always(_ node: YAMLNode, _ log: FaultLog) -> Bool? {
        word(node, "always", log)
    }

    private static func anyone(_ node: YAMLNode, _ log: FaultLog) -> Bool? {
        word(node, "anyone", log)
    }

    private static func word(_ node: YAMLNode, _ word: String, _ log: FaultLog) -> Bool? {
        guard node.scalar?.text == word else {
            log.note(node.line, "expected \(word)")
            return nil
        }
        return true
    }

    // MARK: Checks

    private func check(_ collection: ContentCollection, _ fields: Fields) {
        let isForAll = collection.isPublic || collection.selections.contains(.dailyForStudy)
        let reason =
            collection.isPublic
            ? "anyone can read the collection" : "the item of a day is the same for everyone"
        if let condition = collection.condition {
            if isForAll {
                fields.log.note(fields.line(of: "where"), "`where` is not possible, because \(reason)")
            } else {
                do throws(ExpressionFault) {
                    try ContentCondition.check(condition, over: collection, of: study)
                } catch {
                    fields.log.note(fields.line(of: "where"), error.text)
                }
            }
        }
        if collection.isPublic, collection.selections.contains(.draw) {
            fields.log.note(fields.line(of: "select"), "`draw` is not possible, because \(reason)")
        }
        if collection.isPublic, collection.selections.contains(.dailyForParticipant) {
            fields.log.note(
                fields.line(of: "select"), "`daily` per person is not possible, because \(reason)")
        }
        if let setting = collection.variantSetting {
            let items = study.settings.compactMap { study.questionnaire($0) }.flatMap(\.questions)
            if !items.contains(where: { $0.linkId == setting }) {
                fields.log.note(
                    fields.line(of: "variant"),
                    "no questionnaire with settings has an item \(setting.prefix(60))")
            }
        }
    }

    private func checkArms(of collection: ContentCollection, _ fields: Fields) {
        let isForAll = collection.isPublic || collection.selections.contains(.dailyForStudy)
        guard isForAll, let item = collection.items.first(where: { !$0.arms.isEmpty }) else { return }
        fields.log.note(
            fields.line, "the item \(item.id) names arms, but the collection is the same for everyone")
    }

    /// What is the same for everyone, and help in a crisis, is never locked.
    private func checkEntitlements(of collection: ContentCollection, _ fields: Fields) {
        guard let item = collection.items.first(where: { $0.entitlement != nil }) else { return }
        let isForAll = collection.isPublic || collection.selections.contains(.dailyForStudy)
        if isForAll {
            fields.log.note(
                fields.line,
                "the item \(item.id) names an entitlement, but the collection is the same for everyone")
        }
        if study.features.contains(where: { $0.page == .contacts && $0.collection == collection.code }) {
            fields.log.note(
                fields.line,
                "the item \(item.id) names an entitlement, but contacts are never locked")
        }
    }
}
