import HTTPTypes
import SaunterCore
import SaunterStore

/// The route for the balance of a study's arms.
struct BalanceRoutes: Sendable {
    let context: ServerContext

    var balance: Route {
        Route(
            .get, "/v1/studies/{study}/balance", who: .researcher, tag: "Monitoring",
            summary: "Count participants by arm, by level of each factor, and by stratum",
            description: """
                The response does not reveal which arm is assigned next. Erased participants are not counted. A \
                participant whose arm a researcher changed counts in the new arm; `moved` counts these participants. \
                In a blinded study, `arm` is a letter for callers who may not see arms. If the arms have different \
                ratios, these callers get no counts by arm, because the counts reveal which arm a letter means. \
                `differences` states what letters cannot hide; these callers get numbers in place of codes.
                """,
            parameters: [.study],
            outcomes: [.json(.ok, "The current counts.", Self.schema)], problems: [.notFound]
        ) { call in
            guard let live = try await context.catalogue.findLive(call.text("study")) else {
                throw Problem(.notFound)
            }
            let study = live.published.study
            let counts = try await context.store.countAllocations(study.code)
            let moves = try await context.store.countArmMoves(study.code)
            let view = try await context.armView(of: study.code, for: call.caller)
            let differences = study.armDifferences(try await context.content.findLive(study)?.library)
            return .json(
                .ok,
                view.balance(study, counts, moves: moves)
                    .json(
                        of: study, differences, countsArms: view.showsNumbers(of: study),
                        namesArms: !view.isBlinded))
        }
    }

    private static let row: [Schema.Member] = [
        .required("participants", .integer(min: 0), "The number of participants."),
        .required(
            "arms",
            .array(
                of: .object([
                    .required("arm", .string(), ArmView.description),
                    .required("participants", .integer(min: 0), "The number of participants in this arm."),
                ])), "The number of participants in each arm; empty if the counts would reveal arms."),
        .required(
            "imbalance", .number(min: 0),
            "The largest difference between the size of an arm and its share, in participants."),
    ]

    static let schema = Schema.named(
        "AllocationBalance",
        .object(
            [
                .required("study", .string(), "The code of the study."),
                .required("version", .string(), "The live version of the study."),
                .required(
                    "method", .string(values: Allocation.Method.allCases.map(\.rawValue)),
                    "How the study allocates arms."),
            ] + row + [
                .required(
                    "levels",
                    .array(
                        of: .object(
                            [
                                .required("factor", .string(), "The code of the factor."),
                                .required("level", .string(), "The code of the level."),
                            ] + row)), "The balance within each level of each factor."),
                .required(
                    "strata",
                    .array(
                        of: .object(
                            [
                                .required(
                                    "stratum", .string(), "The levels of all factors that define the stratum."
                                )
                            ] + row)),
                    "Counts by stratum, for allocation in stratified blocks."),
                .required(
                    "moved",
                    .array(
                        of: .object([
                            .required("from_arm", .string(), "The arm that was allocated."),
                            .required("to_arm", .string(), "The arm to which the participants were moved."),
                            .required(
                                "participants", .integer(min: 1), "The number of participants who were moved."
                            ),
                        ])),
                    "Participants whose arm was changed after the allocation; empty if they would reveal arms."
                ),
                .required(
                    "differences", ArmDifferences.schema,
                    "What the arms of the live version do not have in common."),
            ]))
}

extension ArmDifferences {
    /// - Parameter namesArms: false if the codes of parts and arms are left out.
    fileprivate func json(namesArms: Bool) -> JSON {
        let kinds = Kind.allCases.map { kind in (kind: kind, parts: parts.filter { $0.kind == kind }) }
        return [
            "unequal_ratios": .bool(hasUnequalRatios),
            "kinds": .array(
                kinds.filter { !$0.parts.isEmpty }.map { kind, parts in
                    [
                        "kind": .string(kind.rawValue), "count": .int(parts.count),
                        "parts": .array(
                            (namesArms ? parts : []).map {
                                ["code": .string($0.code), "arms": .array($0.arms.map(JSON.string))]
                            }),
                    ]
                }),
        ]
    }

    fileprivate static let schema = Schema.named(
        "ArmDifferences",
        .object([
            .required(
                "unequal_ratios", .boolean,
                "Whether the arms have different shares, so that counts of participants reveal them."),
            .required(
                "kinds",
                .array(
                    of: .object([
                        .required(
                            "kind", .string(values: Kind.allCases.map(\.rawValue)),
                            """
                            What is different: a questionnaire or a schedule that only some arms have, a rule \
                            that only some arms reach or whose message selects other items for some arms, a \
                            collection with items for some arms, or the signal of the device above the target speed \
                            of a walk.
                            """),
                        .required("count", .integer(min: 1), "The number of parts of this kind."),
                        .required(
                            "parts",
                            .array(
                                of: .object([
                                    .required("code", .string(), "The code of the part in the study pack."),
                                    .required(
                                        "arms", .array(of: .string()),
                                        "The codes of the arms that get the part, or separate items."),
                                ])), "The parts; empty for callers who may not see arms."),
                    ])), "The kinds of parts that are not the same in all arms."),
        ]))
}

extension AllocationBalance {
    /// The balance as JSON, with the member names of the API.
    /// - Parameters:
    ///   - countsArms: false if the counts by arm and the moves are left out.
    ///   - namesArms: false if the codes of `differences` are left out.
    package func json(
        of study: Study, _ differences: ArmDifferences, countsArms: Bool = true, namesArms: Bool = true
    ) -> JSON {
        var object: JSONObject = [
            "study": .string(study.code), "version": .string(study.version),
            "method": .string(study.allocation.method.rawValue),
        ]
        add(all, countsArms, to: &object)
        object["levels"] = .array(
            levels.map { entry, row in
                var level: JSONObject = [
                    "factor": .string(entry.factor), "level": .string(entry.level),
                ]
                add(row, countsArms, to: &level)
                return .object(level)
            })
        object["strata"] = .array(
            strata.map { name, row in
                var stratum: JSONObject = ["stratum": .string(name)]
                add(row, countsArms, to: &stratum)
                return .object(stratum)
            })
        object["moved"] = .array(
            (countsArms ? moves : []).map {
                [
                    "from_arm": .string($0.from), "to_arm": .string($0.to),
                    "participants": .int($0.participants),
                ]
            })
        object["differences"] = differences.json(namesArms: namesArms)
        return .object(object)
    }

    private func add(_ row: Row, _ countsArms: Bool, to object: inout JSONObject) {
        object["participants"] = .int(row.total)
        object["arms"] = .array(
            (countsArms ? Array(zip(arms, row.counts)) : []).map {
                ["arm": .string($0), "participants": .int($1)]
            })
        object["imbalance"] = .double((row.imbalance * 10).rounded(.toNearestOrEven) / 10)
    }
}
