/// Checks what participants can buy or be given: `entitlements` of a study, and the questionnaires that they open.
extension StudyCheck {
    mutating func checkEntitlements() {
        var seen: Set<String> = []
        var plans: Set<String> = []
        var products: Set<String> = []
        for (index, entitlement) in study.entitlements.enumerated() {
            let pointer = "/entitlements/\(index)"
            if !Self.isIdentifier(entitlement.code) {
                faults.add("\(pointer)/code", "invalid_name", Self.identifierRule)
            }
            if !seen.insert(entitlement.code).inserted {
                faults.add("\(pointer)/code", "duplicate", "Another entitlement has this code.")
            }
            if entitlement.plans.count > Self.maximumParts {
                faults.add(
                    "\(pointer)/plans", "too_many", "This list has at most \(Self.maximumParts) elements.")
            }
            for (position, plan) in entitlement.plans.prefix(Self.maximumParts).enumerated() {
                check(plan, "\(pointer)/plans/\(position)", &plans, &products)
            }
        }
        for (index, rule) in study.anyTime.enumerated() {
            if let code = rule.entitlement { checkLocked(rule, by: code, "/any_time/\(index)/entitlement") }
        }
    }

    private mutating func check(
        _ plan: Plan, _ pointer: String, _ plans: inout Set<String>, _ products: inout Set<String>
    ) {
        if !Self.isIdentifier(plan.code) {
            faults.add("\(pointer)/code", "invalid_name", Self.identifierRule)
        }
        if !plans.insert(plan.code).inserted {
            faults.add("\(pointer)/code", "duplicate", "Another plan has this code.")
        }
        guard let product = plan.appStoreProduct else { return }
        if !Self.isProduct(product) {
            faults.add(
                "\(pointer)/app_store", "invalid_product",
                "The id of a product has 1 to 100 characters of A-Z, a-z, 0-9, ., - and _.")
        }
        if !products.insert(product).inserted {
            faults.add("\(pointer)/app_store", "duplicate", "Another plan sells this product.")
        }
    }

    /// A questionnaire that a schedule asks, or that contains settings, is for every participant.
    private mutating func checkLocked(_ rule: AnyTimeRule, by code: String, _ pointer: String) {
        if study.entitlement(code) == nil {
            faults.add(
                pointer, "unknown_entitlement", "The study has no entitlement \(code).", naming: code)
        }
        if study.settings.contains(rule.questionnaire) {
            faults.add(
                pointer, "locked_settings",
                "\(rule.questionnaire) contains settings, which are never locked.",
                naming: rule.questionnaire)
        }
        if let schedule = study.schedules.first(where: { $0.questionnaire == rule.questionnaire }) {
            faults.add(
                pointer, "locked_schedule",
                "Schedule \(schedule.id) asks \(rule.questionnaire), so it cannot be locked.",
                naming: rule.questionnaire)
        }
    }

    private static func isProduct(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (97...122).contains(byte) || (65...90).contains(byte) || (48...57).contains(byte)
                    || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }

    /// Every entitlement needs a title, and every plan its texts.
    mutating func checkEntitlements(of text: StudyText, pointer: String) {
        let codes = study.entitlements.map(\.code)
        for code in text.entitlements.keys.sorted() where !codes.contains(code) {
            faults.add(
                "\(pointer)/entitlements/\(Fault.escape(code))", "unknown_entitlement",
                "The study has no entitlement \(code).")
        }
        for code in codes {
            guard let title = text.entitlements[code] else {
                faults.add(
                    "\(pointer)/entitlements", "missing_text", "There is no text for entitlement \(code).")
                continue
            }
            require(title, "\(pointer)/entitlements/\(Fault.escape(code))/title")
        }
        let plans = study.entitlements.flatMap(\.plans).map(\.code)
        for code in text.plans.keys.sorted() where !plans.contains(code) {
            faults.add(
                "\(pointer)/plans/\(Fault.escape(code))", "unknown_plan", "The study has no plan \(code).")
        }
        for code in plans {
            let path = "\(pointer)/plans/\(Fault.escape(code))"
            guard let texts = text.plans[code] else {
                faults.add("\(pointer)/plans", "missing_text", "There is no text for plan \(code).")
                continue
            }
            require(texts.title, "\(path)/title")
            require(texts.text, "\(path)/text")
            require(texts.period, "\(path)/period")
        }
    }
}
