import SaunterCore

/// `datapackage.json`: describes the tables by the Data Package standard, version 2, so that its tools can check and
/// load them.
struct DataPackage {
    let snapshot: DatasetSnapshot
    let tables: [Table]
    let files: [DatasetFile]

    var json: JSON {
        let study = snapshot.definitions.newest
        let text = snapshot.definitions.studyText
        var description: JSONObject = [
            "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
            "name": .string("saunter-\(study.code)"),
            "title": .string(text?.title ?? study.code),
            "description": .string(text?.summary ?? ""), "version": .string(snapshot.definitions.live),
            "created": .string(snapshot.asOf.description),
        ]
        // The standard permits no empty lists.
        if let license = study.dataset.license {
            var object: JSONObject = ["name": .string(license.name)]
            object["path"] = license.url.map(JSON.string)
            description["licenses"] = .array([.object(object)])
        }
        if !study.dataset.contributors.isEmpty {
            description["contributors"] = .array(study.dataset.contributors.map(contributor))
        }
        description["resources"] = .array(
            tables.flatMap { table in table.formats.compactMap { resource(table, $0) } })
        return .object(description)
    }

    private func contributor(_ contributor: DatasetDescription.Contributor) -> JSON {
        var object: JSONObject = ["title": .string(contributor.name)]
        object["organization"] = contributor.organization.map(JSON.string)
        object["email"] = contributor.email.map(JSON.string)
        object["path"] = contributor.url.map(JSON.string)
        if !contributor.roles.isEmpty {
            object["roles"] = .array(contributor.roles.map(JSON.string))
        }
        return .object(object)
    }

    private func resource(_ table: Table, _ format: TableFormat) -> JSON? {
        let path = table.path(format)
        guard let file = files.first(where: { $0.path == path }) else { return nil }
        var resource: JSONObject = [
            "name": .string(format == table.formats.first ? table.name : "\(table.name)_\(format.rawValue)"),
            "title": .string(table.title), "path": .string(path),
        ]
        switch format {
        case .csv, .csvGzip:
            resource["type"] = "table"
            resource["format"] = "csv"
            resource["mediatype"] = "text/csv"
            resource["encoding"] = "utf-8"
            if format == .csvGzip { resource["compression"] = "gz" }
        case .parquet:
            // The standard only describes text tables. Its tools check the length and the digest of a Parquet file.
            resource["type"] = "file"
            resource["format"] = "parquet"
            resource["mediatype"] = "application/vnd.apache.parquet"
        }
        resource["bytes"] = .int(file.bytes)
        resource["hash"] = .string("sha256:\(file.sha256)")
        if format != .parquet {
            resource["dialect"] = [
                "delimiter": ",", "lineTerminator": "\n", "quoteChar": "\"", "doubleQuote": true,
                "header": true,
            ]
        }
        resource["schema"] = schema(table)
        return .object(resource)
    }

    private func schema(_ table: Table) -> JSON {
        var schema: JSONObject = [
            "$schema": "https://datapackage.org/profiles/2.0/tableschema.json",
            "fields": .array(table.columns.map(field)), "missingValues": [""],
            "primaryKey": .array(table.key.map(JSON.string)),
        ]
        let names = Set(tables.map(\.name))
        let keys = table.foreignKeys.filter { names.contains($0.table) }
        if !keys.isEmpty {
            schema["foreignKeys"] = .array(
                keys.map { key in
                    [
                        "fields": .array(key.fields.map(JSON.string)),
                        "reference": [
                            "resource": .string(key.table), "fields": .array(key.reference.map(JSON.string)),
                        ],
                    ]
                })
        }
        return .object(schema)
    }

    private func field(_ column: Column) -> JSON {
        var field: JSONObject = ["name": .string(column.name), "title": .string(column.label)]
        let type: String =
            switch column.type {
            case .string: "string"
            case .integer: "integer"
            case .number: "number"
            case .boolean: "boolean"
            case .date: "date"
            case .instant, .local: "datetime"
            case .time: "time"
            }
        field["type"] = .string(type)
        if column.type == .boolean {
            field["trueValues"] = ["1"]
            field["falseValues"] = ["0"]
        }
        let values = codes(column)
        guard !values.isEmpty else { return .object(field) }
        field["constraints"] = ["enum": .array(values.map(\.value))]
        field["categories"] = .array(
            values.map {
                ["value": $0.value, "label": .string($0.label)]
            })
        field["categoriesOrdered"] = .bool(column.type == .integer)
        return .object(field)
    }

    /// The permitted codes of a column, with their labels in the language of the dataset.
    private func codes(_ column: Column) -> [(value: JSON, label: String)] {
        // A list of codes is not one of its codes. Booleans have `trueValues` and `falseValues`.
        // Earlier editions of the library have other items.
        guard column.form != .list, column.type != .boolean, column.valueSet != ContentLabels.columnSet
        else { return [] }
        let isNumeric = column.type == .integer && column.item != nil
        return CodeLabels(definitions: snapshot.definitions).of(column).map { code, label in
            (isNumeric ? Int(code).map(JSON.int) ?? .string(code) : .string(code), label)
        }
    }
}
