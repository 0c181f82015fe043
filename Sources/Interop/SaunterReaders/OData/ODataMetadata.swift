import SaunterEvaluation

/// Writes `$metadata`: the tables as entity types, in CSDL XML (OData 4.0).
enum ODataMetadata {
    static func xml(_ tables: [Table]) -> String {
        let types = tables.map { table in
            let key = table.key.map { "<PropertyRef Name=\"\($0)\"/>" }.joined()
            let properties = table.columns.map { column in
                let nullable = table.key.contains(column.name) ? " Nullable=\"false\"" : ""
                return
                    "<Property Name=\"\(column.name)\" Type=\"\(column.type.edm)\"\(precision(column.type))\(nullable)/>"
            }
            return "<EntityType Name=\"\(table.name)\"><Key>\(key)</Key>\(properties.joined())</EntityType>"
        }
        let sets = tables.map { "<EntitySet Name=\"\($0.name)\" EntityType=\"saunter.\($0.name)\"/>" }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"><edmx:DataServices>\
            <Schema Namespace="saunter" xmlns="http://docs.oasis-open.org/odata/ns/edm">\(types.joined())\
            <EntityContainer Name="study">\(sets.joined())</EntityContainer></Schema></edmx:DataServices></edmx:Edmx>
            """
    }

    private static func precision(_ type: ColumnType) -> String {
        type == .instant ? " Precision=\"3\"" : ""
    }
}
