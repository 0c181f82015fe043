import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct ReceiptAfterWithdrawalTests {
    @Test func `a retry of a calibration is confirmed after the withdrawal`() async throws {
        let calibration: JSON = [
            "recorded_at": .instant(ServerFixture.now), "mean_speed_kmh": 4.2, "reduction_percent": 10,
            "duration_s": 120,
        ]
        // The device's clock is an hour slow now, so the corrected time is after the withdrawal.
        let retry = calibration.with(["client_now": .instant(ServerFixture.now.adding(seconds: -3600))])

        try await ServerFixture.withParticipant { ada async throws in
            let path = ada.newRecord("calibrations")
            #expect(try await ada.put(path, calibration).status == 201)
            #expect(try await ada.post(ada.own("/withdrawal"), ["mode": "stop"]).status == 200)

            let answer = try await ada.put(path, retry)

            #expect(answer.status == 200)
            #expect(answer.json["replayed"] == true)
        }
    }
}
