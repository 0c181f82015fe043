import SaunterCore

/// The tables of coordinates. No other table of any profile contains them.
extension Tables {
    /// Included only if some item is a location.
    static func locations(_ profile: DatasetProfile) -> Table {
        table(
            "locations", "Locations that participants gave as answers",
            key: ["enrolment_id", "sheet_id", "item"], sheets: .answeredSheet, profile)
    }

    /// The locations of all revisions, for the profile `full`.
    static let locationRevisions = table(
        "location_revisions", "Locations in all their revisions",
        key: ["enrolment_id", "sheet_id", "rev", "item"], sheets: .everyRevision, .full)

    /// The number of decimal places in the profile `coded`: about 10 kilometres.
    private static let codedDecimals = 1

    private static func table(
        _ name: String, _ title: String, key: [String], sheets: Table.CTE, _ profile: DatasetProfile
    ) -> Table {
        Table(
            name, title, key: key, statement: SQLFile.sheets["dataset_locations"],
            ctes: [.sheetInScope, sheets], foreignKeys: [.sheet],
            columns: [
                [
                    .sheet, .enrolment, .participant, .instrument, .version, .revision, .counts, .item,
                    degrees("lat", "Latitude, positive in the north", profile),
                    degrees("lon", "Longitude, positive in the east", profile),
                    Column(
                        "accuracy_m", .number, "Radius in which the device was", unit: "m",
                        identifierClass: .quasi, source: .device),
                    Column(
                        "decimals", .integer,
                        profile == .full ? .raw : .expression("least(r.decimals, \(codedDecimals))"),
                        "Decimal places to which the coordinates are rounded", source: .design),
                ],
                Column.instant(
                    "submitted", "Sheet was completed, by the corrected clock", hasOffset: true,
                    source: .device),
            ])
    }

    private static func degrees(_ name: String, _ label: String, _ profile: DatasetProfile) -> Column {
        let rounded = "round(r.\(name)::numeric, \(codedDecimals))::double precision"
        var column = Column(
            name, .number, profile == .full ? .raw : .expression(rounded), "\(label) (WGS 84)", unit: "deg",
            identifierClass: .quasi, source: .answer)
        column.isCoarsened = profile != .full
        return column
    }
}

extension Table {
    /// Whether the table contains coordinates.
    var hasCoordinates: Bool {
        columns.contains { $0.name == "lat" } && columns.contains { $0.name == "lon" }
    }
}

extension Table.CTE {
    fileprivate static let everyRevision = Table.CTE(
        name: "answered_sheet", statement: SQLFile.sheets["dataset_every_revision"])
}

extension InstrumentHistory {
    /// Whether some version asks for a location.
    var asksForLocation: Bool {
        versions.contains { version in
            (version.questions + version.repeatedQuestions.map(\.item)).contains { $0.type.form == .location }
        }
    }
}
