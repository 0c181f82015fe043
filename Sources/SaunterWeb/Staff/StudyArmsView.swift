import SaunterCore
import SaunterFigures
import SaunterServer

/// `GET /v1/studies/{study}/balance` and `GET /v1/studies/{study}/unblindings` in words.
struct StudyArmsView {
    /// The groups that the figure shows. The table has all.
    private static let maximumGroups = 20

    let listed: StaffStudyView
    /// Whether arms are hidden from members of the team who may not see them.
    let isBlinded: Bool
    /// Whether the visitor sees codes.
    let seesArms: Bool
    private let balance: JSON
    private let broken: [JSON]
    private let words: Words.Language
    private let now: Instant

    init(
        listed: StaffStudyView, isBlinded: Bool, seesArms: Bool, balance: JSON, unblindings: [JSON],
        now: Instant, _ words: Words.Language
    ) {
        self.listed = listed
        self.isBlinded = isBlinded
        self.seesArms = seesArms
        self.balance = balance
        self.broken = unblindings
        self.now = now
        self.words = words
    }

    /// Reads the study of the address.
    /// - Throws: `not-permitted` and `not-found`, as the routes do.
    init(_ request: PageRequest) async throws {
        let code = try request.path("study")
        let path = "/v1/studies/\(PageAddress.encodePart(code))"
        let balance = try await request.get("\(path)/balance")
        let item = try await StaffStudyView.item(of: code, request)
        self.init(
            listed: StaffStudyView(item, request.words), isBlinded: item["blinded"]?.bool ?? true,
            seesArms: item["sees_arms"]?.bool ?? false,
            balance: balance, unblindings: try await request.list("\(path)/unblindings", query: "limit=100"),
            now: request.call.now, request.words)
    }

    var code: String { listed.code }

    // MARK: Balance

    /// One group of participants: all, a level of a factor, or a stratum.
    private struct Group {
        var division: String
        var name: String
        var arms: [(arm: String, participants: Int)]
        var total: Int
        var imbalance: Double?

        init(_ row: JSON, division: String, name: String) {
            self.division = division
            self.name = name
            arms = (row["arms"]?.array ?? []).map {
                ($0["arm"]?.string ?? "", $0["participants"]?.int ?? 0)
            }
            total = row["participants"]?.int ?? 0
            imbalance = row["imbalance"]?.double
        }
    }

    private var groups: [Group] {
        let levels = (balance["levels"]?.array ?? []).map {
            Group($0, division: $0["factor"]?.string ?? "", name: $0["level"]?.string ?? "")
        }
        let strata = (balance["strata"]?.array ?? []).filter { $0["stratum"]?.string != "" }.map {
            Group($0, division: text("stratum"), name: $0["stratum"]?.string ?? "")
        }
        return [Group(balance, division: text("everyone"), name: "")] + levels + strata
    }

    /// Whether counts by arm are left out because they would show which arm a letter means.
    var hidesCounts: Bool { (balance["arms"]?.array ?? []).isEmpty }

    /// How the study allocates, the number of participants, and how unequal the arms are.
    var facts: [[String: String]] {
        [
            fact("method", text("method_\(balance["method"]?.string ?? "")")),
            fact("allocated", String(balance["participants"]?.int ?? 0)),
            fact("imbalance", number(balance["imbalance"]?.double)),
        ]
    }

    /// The bars with the finding in words; nil without participants, and if counts by arm are left out.
    var figure: [String: Any]? {
        let all = groups
        guard let first = all.first, first.total > 0, !first.arms.isEmpty else { return nil }
        let parts = first.arms.map { "\($0.arm) \($0.participants)" }.joined(separator: ", ")
        var finding = text(
            first.imbalance == 1 ? "finding_one" : "finding_other",
            ["arms": parts, "imbalance": number(first.imbalance)])
        if all.count > Self.maximumGroups {
            finding += " " + text("figure_part", ["count": String(Self.maximumGroups)])
        }
        let svg = BarPlot.text(
            all.prefix(Self.maximumGroups).map { group in
                BarPlot.Group(
                    name: group.name.isEmpty ? group.division : "\(group.division): \(group.name)",
                    bars: group.arms.map { .init(label: $0.arm, value: Double($0.participants)) })
            }, title: text("balance"), description: finding, number: words.number)
        return ["svg": svg, "finding": finding]
    }

    /// The number of participants of each arm in each group; without arms if their counts are left out.
    var table: StaffTable {
        StaffTable(
            name: "\(code)-arms", caption: text("balance"),
            columns: [
                .init(title: text("division")), .init(title: text("group")), .init(title: text("arm")),
                .init(title: text("participants"), isNumber: true),
                .init(title: text("imbalance"), isNumber: true),
            ],
            rows: groups.flatMap { group -> [[StaffTable.Cell]] in
                let arms = group.arms.isEmpty ? [(arm: "", participants: group.total)] : group.arms
                return arms.map { arm in
                    [
                        .text(group.division), .text(group.name), .text(arm.arm), .number(arm.participants),
                        .decimal(group.imbalance),
                    ]
                }
            }, asOf: now)
    }

    /// Participants whose arm was changed, as sentences.
    var moved: [String] {
        (balance["moved"]?.array ?? []).map { move in
            text(
                "moved_row",
                [
                    "from": move["from_arm"]?.string ?? "", "to": move["to_arm"]?.string ?? "",
                    "count": String(move["participants"]?.int ?? 0),
                ])
        }
    }

    // MARK: Blinding

    /// The name of the text that states who sees arms.
    var state: String { !isBlinded ? "shown" : seesArms ? "blinded_seeing" : "blinded" }

    /// Who broke the blind, the newest first.
    var unblindings: [[String: Any]] {
        let time = LocalTimeText(language: words.code, zone: "UTC")
        return broken.map { entry in
            let participant = entry["participant_id"]?.string
            var model: [String: Any] = [
                "what": participant.map { text("read_one", ["participant": $0]) } ?? text("shown_all"),
                "who": entry["unblinded_by_name"]?.string ?? text("former_member"),
                "reason": entry["reason"]?.string ?? text("reason_hidden"),
            ]
            if let at = entry["unblinded_at"]?.instant { model["at"] = [StaffTable.moment(at, time)] }
            return model
        }
    }

    /// What letters cannot hide, because it is not the same in all arms, as sentences. A visitor who may not see arms
    /// gets numbers only.
    var differences: [String] {
        let differences = balance["differences"] ?? .null
        let kinds = differences["kinds"]?.array ?? []
        var sentences: [String] = []
        let counts = kinds.map { kind in
            let count = kind["count"]?.int ?? 0
            return text(
                "\(kind["kind"]?.string ?? "")_\(count == 1 ? "one" : "other")", ["count": String(count)])
        }
        if !counts.isEmpty { sentences.append(text("differ", ["parts": counts.joined(separator: ", ")])) }
        for kind in kinds {
            for part in kind["parts"]?.array ?? [] {
                sentences.append(
                    text(
                        "\(kind["kind"]?.string ?? "")_part",
                        [
                            "code": part["code"]?.string ?? "",
                            "arms": (part["arms"]?.array ?? []).compactMap(\.string).joined(separator: ", "),
                        ]))
            }
        }
        if differences["unequal_ratios"]?.bool ?? false { sentences.append(text("differ_ratios")) }
        return sentences.isEmpty ? [text("differ_none")] : sentences
    }

    private func fact(_ name: String, _ value: String) -> [String: String] {
        ["title": text(name), "text": value]
    }

    private func number(_ value: Double?) -> String { value.map { words.number($0) } ?? "–" }

    private func text(_ name: String, _ values: [String: String] = [:]) -> String {
        words.text("arms", name, values)
    }
}
