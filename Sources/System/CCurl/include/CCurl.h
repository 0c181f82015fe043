// Uses of libcurl: mails (CCurlMail.h), and POST requests to URLs that clients supplied (CCurlPost.h).
#pragma once

#include "CCurlMail.h"
#include "CCurlPost.h"
#include "CCurlCancellation.h"
