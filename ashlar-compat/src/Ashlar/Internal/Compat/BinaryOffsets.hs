-- |
-- Module      : Ashlar.Internal.Compat.BinaryOffsets
-- Description : Offsets as binary counts them
--
-- In @binary@, offsets count from the beginning of the innermost @isolate@, and a decoder can ask
-- how many bytes are left. Both depend on more than the input and the offset in it, so they are for
-- @Ashlar.Compat@ alone.
--
-- The context of a decoder holds the beginning of an @isolate@ and has the same scope, so nothing
-- needs to restore the outer one. Finding it takes time proportional to the number of labels
-- around.
module Ashlar.Internal.Compat.BinaryOffsets
  ( isolateCounting,
    bytesCounted,
    restLength,
  )
where

import Ashlar.Internal.Get.Budget (countUpTo, isolateOr)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Data.Int (Int64)

-- | 'Ashlar.Get.isolate' with binary's messages. In it, 'bytesCounted' begins at 0. If the decoder
-- leaves bytes over, the message does not say whether the input has them: to know that, this would
-- have to ask for more input than binary's @isolate@.
isolateCounting :: Int -> Get a -> Get a
isolateCounting n p
  | n < 0 = invalid "isolate: negative size"
  | otherwise = isolateOr (invalid . message) n $ do
    at <- here
    inEnv (inMarks (\m -> m {markCounted = at})) p
  where
    message left =
      "isolate: the decoder consumed " ++ show (n - left)
        ++ " bytes which is less than the expected "
        ++ show n
        ++ " bytes"

-- | Bytes read since the innermost 'isolateCounting' began.
bytesCounted :: Get Int64
bytesCounted = do
  at <- here
  from <- inspect (\_ env _ -> pure $! markCounted (envMarks env))
  pure $! fromIntegral (at - from)

-- | The number of bytes up to the end of the input, or of the innermost @isolate@. Asks for all of
-- them, and keeps them. Once they are there, it takes constant time.
restLength :: Get Int
restLength = countUpTo maxBound
