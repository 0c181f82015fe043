import Testing

@testable import SaunterCore

@Suite("Study check, entitlements")
struct EntitlementCheckTests {
    /// A practice that is sold by two plans, one that is given, and a setting.
    private static func validStudy() -> Study {
        var study = Sample.study([])
        study.questionnaires = ["free", "deep", "long", "voice"].map { Sample.questionnaire($0) }
        study.anyTime = [
            AnyTimeRule(questionnaire: "free"), AnyTimeRule(questionnaire: "deep", entitlement: "premium"),
            AnyTimeRule(questionnaire: "long", entitlement: "retreat"),
        ]
        study.settings = ["voice"]
        study.entitlements = [
            Entitlement(
                code: "premium",
                plans: [
                    Plan(code: "monthly", appStoreProduct: "calm.month"),
                    Plan(code: "yearly", appStoreProduct: "calm.year"),
                ]),
            Entitlement(code: "retreat"),
        ]
        let plan = PlanText(title: "Title", text: "Text", period: "per month")
        study.text["en"]?.entitlements = ["premium": "Premium", "retreat": "Retreat"]
        study.text["en"]?.plans = ["monthly": plan, "yearly": plan]
        return study
    }

    private func faults(_ change: (inout Study) -> Void) -> [String] {
        var study = Self.validStudy()
        change(&study)
        return study.faults().map { "\($0.pointer) \($0.code)" }
    }

    @Test func `a valid study has no faults`() {
        #expect(faults { _ in } == [])
    }

    struct Broken: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var expected: [String]
        var change: @Sendable (inout Study) -> Void

        init(_ name: String, _ expected: [String], _ change: @escaping @Sendable (inout Study) -> Void) {
            testDescription = name
            self.expected = expected
            self.change = change
        }
    }

    @Test(arguments: [
        Broken("an unknown entitlement", ["/any_time/1/entitlement unknown_entitlement"]) {
            $0.anyTime[1].entitlement = "gold"
        },
        Broken("the same code twice", ["/entitlements/2/code duplicate"]) {
            $0.entitlements.append(Entitlement(code: "retreat"))
        },
        Broken("the same plan twice", ["/entitlements/0/plans/1/code duplicate"]) {
            $0.entitlements[0].plans[1].code = "monthly"
            $0.text["en"]?.plans["yearly"] = nil
        },
        Broken("the same product twice", ["/entitlements/0/plans/1/app_store duplicate"]) {
            $0.entitlements[0].plans[1].appStoreProduct = "calm.month"
        },
        Broken("a product with a space", ["/entitlements/0/plans/0/app_store invalid_product"]) {
            $0.entitlements[0].plans[0].appStoreProduct = "calm month"
        },
        Broken(
            "missing texts",
            ["/text/en/entitlements missing_text", "/text/en/plans/yearly/period missing_text"]
        ) {
            $0.text["en"]?.entitlements["retreat"] = nil
            $0.text["en"]?.plans["yearly"]?.period = " "
        },
        Broken(
            "texts of nothing",
            ["/text/en/entitlements/gold unknown_entitlement", "/text/en/plans/weekly unknown_plan"]
        ) {
            $0.text["en"]?.entitlements["gold"] = "Gold"
            let plan = $0.text["en"]?.plans["monthly"]
            $0.text["en"]?.plans["weekly"] = plan
        },
    ])
    func `every fault is reported at its place`(_ broken: Broken) {
        #expect(faults(broken.change) == broken.expected)
    }

    @Test func `settings and planned questionnaires cannot be locked`() throws {
        let locked = faults {
            $0.anyTime.append(AnyTimeRule(questionnaire: "voice", entitlement: "premium"))
        }
        let planned = try Sample.schedule(
            asks: "deep", slots: [Sample.slot("08:00", due: 10 * hour, close: 12 * hour)])

        #expect(locked.contains("/any_time/3/entitlement locked_settings"))
        #expect(faults { $0.schedules = [planned] }.contains("/any_time/1/entitlement locked_schedule"))
    }
}
