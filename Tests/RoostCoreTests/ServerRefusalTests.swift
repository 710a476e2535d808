// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct ServerRefusalTests {
    @Test(arguments: [
        (RoostError.Code.tokenInvalid, RoostError.Remedy.signIn), (.userDeactivated, .signIn),
        (.applicationNotFound, .correctInput), (.rateLimited, .retry),
        (.internalServerError, .retry), (.sessionKeyExpired, .retry), (.untrustedServer, .none),
        (.notAuthorized, .correctInput), (.notAMember, .correctInput),
    ])
    func `each code of the server has its remedy`(code: RoostError.Code, remedy: RoostError.Remedy)
    {
        #expect(RoostError(ServerError(code, "text")).remedy == remedy)
        #expect(
            RoostError(APIFailure.refused(ServerError(code, "text"), status: 400)).remedy == remedy)
    }

    @Test(arguments: [429, 500, 503])
    func `a status that passes by itself is retried, whatever the code`(_ status: Int) {
        let error = RoostError(
            APIFailure.refused(ServerError(.notAuthorized, "text"), status: status))
        #expect(error.code == .notAuthorized && error.remedy == .retry)
    }
}
