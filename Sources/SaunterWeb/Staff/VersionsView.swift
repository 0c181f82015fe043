import SaunterCore
import SaunterFigures
import SaunterServer

/// `GET /v1/studies/{study}/versions` in words.
struct VersionsView {
    private let list: JSON
    private let study: String
    /// Whether the visitor may see files and differences.
    private let seesContent: Bool
    private let words: Words.Language

    init(_ list: JSON, of study: String, seesContent: Bool, _ words: Words.Language) {
        self.list = list
        self.study = study
        self.seesContent = seesContent
        self.words = words
    }

    private var versions: [VersionItem] {
        (list["items"]?.array ?? []).map { VersionItem($0, of: study, words) }
    }

    /// The editions of the library, the newest first.
    private var editions: [(edition: Int, publishedAt: Instant?)] {
        (list["editions"]?.array ?? []).map {
            (edition: $0["edition"]?.int ?? 0, publishedAt: $0["published_at"]?.instant)
        }
    }

    /// The versions.
    func table(asOf: Instant) -> StaffTable {
        StaffTable(
            name: "\(study)-versions", caption: text("list"),
            columns: [
                .init(title: text("version")), .init(title: text("published")), .init(title: text("state")),
                .init(title: text("enrolments"), isNumber: true), .init(title: text("digest")),
                .init(title: text("pack"), isAction: true),
            ],
            rows: versions.map { version in
                [
                    seesContent
                        ? .link(version.version, address: version.address) : .text(version.version),
                    .moment(version.publishedAt), .text(version.state), .number(version.enrolments),
                    .text(version.digest),
                    seesContent ? .link(version.packText, address: version.packAddress) : .text(""),
                ]
            }, asOf: asOf, next: list["next"]?.string, emptyText: text("none"))
    }

    /// The model of the template `staff_versions`.
    /// - Parameter mayRestore: whether the visitor may take an earlier edition into the draft.
    func model(
        _ table: StaffTable, _ query: StaffQuery, mayRestore: Bool, now: Instant
    ) -> [String: Any] {
        let time = LocalTimeText(language: words.code, zone: "UTC")
        var model: [String: Any] = [
            "table": table.model(query, words),
            "editions": editions.map { edition -> [String: Any] in
                var model: [String: Any] = [
                    "name": words.text("publish", "edition_name", ["edition": String(edition.edition)])
                ]
                if mayRestore, edition.edition != editions.first?.edition {
                    model["restore"] = ["edition": String(edition.edition)]
                }
                if let moment = edition.publishedAt { model["published"] = [StaffTable.moment(moment, time)] }
                return model
            },
            "has_editions": !editions.isEmpty,
        ]
        // The API lists the editions with the first versions only.
        if query["cursor"].isEmpty {
            model["is_first"] = true
            model["figure"] = figure(now: now)
        }
        return model
    }

    /// The line of time; nil for fewer than two publications, which are no course.
    func figure(now: Instant) -> [String: Any]? {
        let time = LocalTimeText(language: words.code, zone: "UTC")
        func point(_ name: String, _ moment: Instant) -> (label: String, hint: String, at: Double) {
            (name, "\(name), \(time.dayAndTime(moment, now: now)) UTC", Double(moment.milliseconds))
        }
        let rows: [MomentPlot.Row] = [
            .init(
                name: text("versions"),
                points: versions.compactMap { item in item.publishedAt.map { point(item.version, $0) } }),
            .init(
                name: text("editions"),
                points: editions.compactMap { item in
                    item.publishedAt.map { point(String(item.edition), $0) }
                }),
        ].filter { !$0.points.isEmpty }
        let count = rows.reduce(0) { $0 + $1.points.count }
        guard count > 1 else { return nil }
        let isPart = list["next"]?.string != nil
        let finding = words.text(
            "versions", isPart ? "finding_part" : "finding",
            ["versions": String(versions.count), "editions": String(editions.count)])
        let moments = rows.flatMap { $0.points.map(\.at) }
        func day(_ milliseconds: Double?) -> String {
            milliseconds.map {
                let date = Zone.utc.local(of: Instant(milliseconds: Int64($0))).date
                return time.day(date.description, now: now)
            } ?? ""
        }
        return [
            "finding": finding,
            "svg": MomentPlot.text(
                rows, title: text("time_line"), description: finding, first: day(moments.min()),
                last: day(moments.max())),
        ]
    }

    private func text(_ name: String) -> String { words.text("versions", name) }
}

/// One version of a study in words.
struct VersionItem {
    private static let shortDigest = 12

    private let item: JSON
    private let study: String
    private let words: Words.Language

    init(_ item: JSON, of study: String, _ words: Words.Language) {
        self.item = item
        self.study = study
        self.words = words
    }

    var version: String { item["version"]?.string ?? "" }
    var publishedAt: Instant? { item["published_at"]?.instant }
    var enrolments: Int? { item["enrolments"]?.int }
    /// The beginning of the digest of the pack.
    var digest: String { String((item["digest"]?.string ?? "").prefix(Self.shortDigest)) }
    /// "live" for the version that participants join.
    var state: String {
        words.text("versions", item["live"]?.bool ?? false ? "live" : "former")
    }
    /// The address of the page of the version.
    var address: String { VersionsPage.address(version, of: study) }
    var packText: String { words.text("versions", "pack_of", ["version": version]) }
    var packAddress: String {
        "\(StudyRoute.resource(study))/versions/\(PageAddress.encodePart(version))/pack"
    }

    /// The head of the page of the version.
    func facts(now: Instant) -> [[String: Any]] {
        let time = LocalTimeText(language: words.code, zone: "UTC")
        var facts: [[String: Any]] = []
        if let publishedAt {
            facts.append([
                "title": words.text("versions", "published"),
                "moment": [StaffTable.moment(publishedAt, time)],
            ])
        }
        let all: [(name: String, value: String)] = [
            ("state", state), ("enrolments", enrolments.map { String($0) } ?? "–"), ("digest", digest),
        ]
        return facts
            + all.map { ["title": words.text("versions", $0.name), "text": $0.value] as [String: Any] }
    }
}
