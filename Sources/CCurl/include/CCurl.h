// What is asked of libcurl: mails (CCurlMail.h) and calls to addresses that somebody else named (CCurlPost.h).
#pragma once

#include "CCurlMail.h"
#include "CCurlPost.h"
#include "CCurlStop.h"
