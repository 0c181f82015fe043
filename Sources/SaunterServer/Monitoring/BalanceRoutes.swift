import HTTPTypes
import SaunterCore
import SaunterStore

/// How even the arms of a study are.
struct BalanceRoutes: Sendable {
    let context: ServerContext

    var balance: Route {
        Route(
            .get, "/v1/studies/{study}/balance", who: .researcher, tag: "Monitoring",
            summary: "Participants by arm, by level of each factor, and by stratum",
            description: """
                Nothing in it tells which arm comes next. Whoever was erased is not counted, and whoever was given another arm than the allocation's counts in \
                that one: `moved` says how many there are.
                """,
            parameters: [.study],
            outcomes: [.json(.ok, "As it is now.", Self.schema)], problems: [.notFound]
        ) { call in
            guard let live = try await context.catalogue.findLive(call.text("study")) else {
                throw Problem(.notFound)
            }
            let study = live.published.study
            let counts = try await context.store.countAllocations(study.code)
            let moves = try await context.store.countArmMoves(study.code)
            return .json(.ok, AllocationBalance(study, counts, moves: moves).json(of: study))
        }
    }

    private static let row: [Schema.Member] = [
        .required("participants", .integer(min: 0)),
        .required(
            "arms",
            .array(
                of: .object([.required("arm", .string()), .required("participants", .integer(min: 0))]))),
        .required(
            "imbalance", .number(min: 0), "The largest distance of an arm from its share, in participants."),
    ]

    static let schema = Schema.named(
        "AllocationBalance",
        .object(
            [
                .required("study", .string()), .required("version", .string()),
                .required("method", .string(values: Allocation.Method.allCases.map(\.rawValue))),
            ] + row + [
                .required(
                    "levels",
                    .array(
                        of: .object(
                            [.required("factor", .string()), .required("level", .string())] + row))),
                .required(
                    "strata", .array(of: .object([.required("stratum", .string())] + row)),
                    "Of stratified blocks."),
                .required(
                    "moved",
                    .array(
                        of: .object([
                            .required("from_arm", .string()), .required("to_arm", .string()),
                            .required("participants", .integer(min: 1)),
                        ])), "To whom somebody gave another arm than the allocation did."),
            ]))
}

extension AllocationBalance {
    /// Under the names of the API.
    package func json(of study: Study) -> JSON {
        var object: JSONObject = [
            "study": .string(study.code), "version": .string(study.version),
            "method": .string(study.allocation.method.rawValue),
        ]
        add(all, to: &object)
        object["levels"] = .array(
            levels.map { entry, row in
                var level: JSONObject = [
                    "factor": .string(entry.factor), "level": .string(entry.level),
                ]
                add(row, to: &level)
                return .object(level)
            })
        object["strata"] = .array(
            strata.map { name, row in
                var stratum: JSONObject = ["stratum": .string(name)]
                add(row, to: &stratum)
                return .object(stratum)
            })
        object["moved"] = .array(
            moves.map {
                [
                    "from_arm": .string($0.from), "to_arm": .string($0.to),
                    "participants": .int($0.participants),
                ]
            })
        return .object(object)
    }

    private func add(_ row: Row, to object: inout JSONObject) {
        object["participants"] = .int(row.total)
        object["arms"] = .array(
            zip(arms, row.counts).map { ["arm": .string($0), "participants": .int($1)] })
        object["imbalance"] = .double((row.imbalance * 10).rounded(.toNearestOrEven) / 10)
    }
}
