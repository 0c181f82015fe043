import SaunterCore
import SaunterServer
import SaunterStore

/// The response of `GET /v1/studies/{study}/draft` in words.
struct DraftView {
    let study: String
    private let draft: JSON
    private let words: Words.Language

    init(_ draft: JSON, study: String, _ words: Words.Language) {
        self.draft = draft
        self.study = study
        self.words = words
    }

    private var address: DraftAddress { DraftAddress(study: study) }

    var revision: Int { draft["revision"]?.int ?? 0 }
    var title: String { draft["title"]?.string ?? study }
    var version: String { draft["version"]?.string ?? "" }
    /// The published version from which the draft began; nil for a study that was never published.
    var basedOn: String? { draft["based_on"]?.string }
    var changedAt: Instant? { draft["changed_at"]?.instant }
    /// The name of the editor who made the last change; nil if the account does not exist any more.
    var changedBy: String? { draft["changed_by"]?.string }
    var isPublishable: Bool { draft["publishable"]?.bool ?? false }
    var faults: [[String: Any]] { lines("faults") }
    var hints: [[String: Any]] { lines("hints") }

    /// The faults in some files.
    func faults(in isFile: (String) -> Bool) -> [[String: Any]] {
        (draft["faults"]?.array ?? []).filter { isFile($0["file"]?.string ?? "") }
            .map { Self.line($0, address) }
    }

    /// Whether the draft has a file with this beginning of its path.
    func hasFile(_ beginning: String) -> Bool {
        draft["files"]?.array?.contains { $0["path"]?.string?.hasPrefix(beginning) ?? false } ?? false
    }

    /// Faults or hints: the place, the address of the editor at this place, and the text.
    private func lines(_ name: String) -> [[String: Any]] {
        (draft[name]?.array ?? []).map { Self.line($0, address) }
    }

    /// - Parameter fault: `{file, line, message}`, or a text.
    static func line(_ fault: JSON, _ address: DraftAddress) -> [String: Any] {
        if let text = fault.string { return ["message": text] }
        var model: [String: Any] = ["message": fault["message"]?.string ?? ""]
        guard let file = fault["file"]?.string, !file.isEmpty else { return model }
        let line = fault["line"]?.int
        model["at"] = [
            "text": line.map { "\(file):\($0)" } ?? file, "address": address.file(file, line: line),
        ]
        return model
    }

    /// The files as a table.
    func table(asOf now: Instant) -> StaffTable {
        func column(_ name: String, isNumber: Bool = false) -> StaffTable.Column {
            StaffTable.Column(title: words.text("draft", name), isNumber: isNumber)
        }
        let removed = (draft["removed"]?.array ?? []).compactMap(\.string).map { path -> [StaffTable.Cell] in
            [.text(path), .text(""), .text(words.text("draft", "mark_removed")), .number(0)]
        }
        return StaffTable(
            name: "\(study)-draft", id: "files", caption: words.text("draft", "files"),
            columns: [
                column("path"), column("size", isNumber: true), column("mark"),
                column("faults", isNumber: true),
            ],
            rows: (draft["files"]?.array ?? []).map(row) + removed, asOf: now)
    }

    private func row(_ file: JSON) -> [StaffTable.Cell] {
        let path = file["path"]?.string ?? ""
        return [
            .link(path, address: address.file(path)),
            .text(ExportView.size(file["bytes"]?.int ?? 0, words)),
            .text(words.text("draft", "mark_\(file["changed"]?.string ?? "same")")),
            .number(file["faults"]?.int ?? 0),
        ]
    }

    /// What the questionnaires take a participant, and the size of the library, as sentences.
    var burden: [String] {
        (draft["minutes"]?.array ?? []).map(minutes)
            + (draft["library"]?.array ?? []).map { part in
                words.counted(
                    "draft", "library_\(part["kind"]?.string ?? "")", part["items"]?.int ?? 0,
                    ["code": part["code"]?.string ?? ""])
            }
    }

    private func minutes(_ burden: JSON) -> String {
        func text(_ name: String, _ minutes: JSON?) -> String {
            words.text(
                "draft", name,
                [
                    "arm": burden["arm"]?.string ?? "", "phase": burden["phase"]?.string ?? "",
                    "minutes": words.number(minutes?.double ?? 0),
                ])
        }
        var sentences = [
            text(burden["phase"]?.string == nil ? "minutes_arm" : "minutes_phase", burden["per_day"])
        ]
        if burden["includes_walks"]?.bool ?? false { sentences.append(words.text("draft", "minutes_walks")) }
        if let busiest = burden["busiest_day"], !busiest.isNull {
            sentences.append(text("minutes_busiest", busiest))
        }
        return sentences.joined(separator: " ")
    }

    /// The model of the template `staff_draft`.
    /// - Parameter isEditor: whether the visitor may change the draft.
    func model(isEditor: Bool, now: Instant) -> [String: Any] {
        let time = LocalTimeText(language: words.code, zone: "UTC")
        let query = StaffQuery(path: address.page, filters: [], values: [:])
        var model: [String: Any] = [
            "revision": String(revision), "version": version, "publishable": isPublishable,
            "origin": basedOn.map { words.text("draft", "based_on", ["version": $0]) }
                ?? words.text("draft", "new_study"),
            "changed": changedAt.map { [StaffTable.moment($0, time)] } ?? [],
            "faults": faults, "has_faults": !faults.isEmpty,
            "fault_count": faultCount, "hints": hints, "has_hints": !hints.isEmpty, "burden": burden,
            "has_burden": !burden.isEmpty, "table": table(asOf: now).model(query, words),
            "download": "\(address.resource)/pack", "media": "studies/\(study)/media/",
            "texts": "studies/\(study)/",
        ]
        model["by"] = changedBy
        if isEditor { model["editor"] = true }
        return model
    }

    /// "2 faults prevent the publication."
    var faultCount: String {
        faults.count == 1
            ? words.text("draft", "faults_one")
            : words.text("draft", "faults_other", ["count": String(faults.count)])
    }
}
