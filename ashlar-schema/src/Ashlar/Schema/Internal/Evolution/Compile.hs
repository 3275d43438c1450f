{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Compile
-- Description : Programs as code
--
-- Each step becomes a closure that has all that is known beforehand, and the closure of what comes
-- after it. Steps of constant size that stand side by side become a block: one check of the input,
-- one of the output, and a loop over a table of numbers.
--
-- Note [Compiled once]
-- ~~~~~~~~~~~~~~~~~~~~
-- What makes a closure must not be eta-expanded: then it would be made anew at each run, and all
-- that come after it. GHC 9.10 does that even with @-fno-do-lambda-eta-expansion@. But no function
-- that returns a constructor can be. So each closure is in a box, 'Code'. (Benchmarks "a field was
-- added" and "sums of a few bytes".)
module Ashlar.Schema.Internal.Evolution.Compile
  ( compiled,
  )
where

import Ashlar.Internal.Codec.Length (chargeEmpties)
import Ashlar.Internal.Get.Budget (nested)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Path (Names (Nameless))
import Ashlar.Internal.Get.Fail (invalid, invalidAt)
import Ashlar.Internal.Mem (copyRange, peekHost, peekLE, withBytesQuick)
import Ashlar.Internal.Mem.Cells
import Ashlar.Schema.Internal.Evolution.Extent
import Ashlar.Schema.Internal.Evolution.Gather
import Ashlar.Schema.Internal.Evolution.Inner
import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Evolution.Output
import Ashlar.Schema.Internal.Evolution.Permute
import Ashlar.Schema.Internal.Evolution.Rows
import Ashlar.Schema.Internal.Evolution.Straight
import Ashlar.Schema.Internal.Evolution.Table
import Ashlar.Schema.Internal.Types (Length (..))
import Control.Monad (unless, when)
import Data.Bits (unsafeShiftR)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.IntMap.Lazy as Lazy
import qualified Data.IntMap.Strict as IM
import Data.Maybe (isJust, isNothing)
import Data.Primitive.PrimArray
import Data.Primitive.SmallArray
import Data.Word (Word16, Word8)
import Foreign.Ptr (minusPtr, plusPtr)
import GHC.IO (unIO)

-- | A program as one action.
compiled :: Program -> Code
compiled (Program main procedures) = steps known main done
  where
    least = leastReads procedures
    known = Known least (Lazy.map (\ops -> steps known ops done) procedures)

-- What is known of the procedures. The second is lazy, because they call each other.
data Known = Known !(IM.IntMap Int) (Lazy.IntMap Code)

done :: Code
done = Code (\_ _ _ -> pure ())

steps :: Known -> [Op] -> Code -> Code
steps known ops next = case span isSimple ops of
  (list@(_ : _ : _), rest)
    | any (isNothing . constantRead) list,
      Code next' <- steps known rest next ->
      let !rows = straightOf (alone known) list
       in Code $ \c env out -> runStraight rows 1 c env out >> next' c env out
  _ -> oneKind known ops next

-- A step with nothing after it.
alone :: Known -> Op -> Code
alone known op = steps known [op] done

-- Steps of constant size, or one that is not.
oneKind :: Known -> [Op] -> Code -> Code
oneKind known ops next = case span (isJust . constantRead) ops of
  ([], []) -> next
  ([], op : rest) -> one known op (steps known rest next)
  ([Copy n], rest) -> copying n (steps known rest next)
  ([Skip n], rest) -> skipping n (steps known rest next)
  ([Put bs], rest) -> putting bs (steps known rest next)
  (constants, rest) -> block constants (steps known rest next)

copying :: Int -> Code -> Code
copying !n (Code next) = Code $ \c env out -> do
  p <- needed c env n
  q <- reserve True c env out n
  copyFew q p n
  advanced c (p `plusPtr` n) out (q `plusPtr` n)
  next c env out

skipping :: Int -> Code -> Code
skipping !n (Code next) = Code $ \c env out -> do
  p <- needed c env n
  putPtr c cursorCell (p `plusPtr` n)
  next c env out

putting :: ByteString -> Code -> Code
putting bs (Code next) = Code $ \c env out@(Out o _ _) -> do
  q <- reserve False c env out n
  withBytesQuick bs (\p _ -> copyFew q p n)
  putPtr o outCursor (q `plusPtr` n)
  next c env out
  where
    !n = B.length bs

block :: [Op] -> Code -> Code
block ops (Code next) = Code $ \c env out -> runTable table c env out >> next c env out
  where
    !table = tableOf ops

one :: Known -> Op -> Code -> Code
one known@(Known least procedures) op (Code next) = case op of
  Groups keep -> Code $ \c env out -> do
    n <- groups c env 0
    extent keep c env out n
    next c env out
  Magnitude keep signed -> Code $ \c env out -> do
    (h, n) <- leb c env "a header that does not fit"
    extent keep c env out (h + (n `unsafeShiftR` signed))
    next c env out
  -- The most frequent one: a string, or elements of constant size.
  Block Length64 (Just Length64) 0 width
    | width > 0 -> Code $ \c env out -> copyBlock width c env out >> next c env out
  Block from to fewest width -> Code $ \c env out -> do
    (h, n) <- counted from fewest c env
    when (width > 0 && n > (maxBound - 16) `quot` width) $ tooLong c env
    blockRecounted from to width c env out h n
    next c env out
  Each from to fewest ops ->
    let !leastBytes = leastRead least ops
        each elements = Code $ \c env out -> do
          (h, n) <- counted from fewest c env
          recounted from to c env out h n
          run (chargeEmpties leastBytes n) c env
          () <- elements n c env out
          next c env out
        {-# INLINE each #-}
     in if all isSimple ops && not (null ops)
          then let !rows = straightOf (alone known) ops in each (runStraight rows)
          else case steps known ops done of Code element -> each (`repeated` element)
  Switch name width _ alternatives
    | width == 0 -> Code $ \c env _ -> run (invalid (name ++ " has no values")) c env
    | Just tags <- tagsOf width alternatives -> Code $ \c env out -> do
      runTags (noConstructor name) tags c env out
      next c env out
    | otherwise ->
      let !branches = smallArrayFromList (map branch alternatives)
          branch alternative = case alternative of
            Refused why -> Code $ \c env _ -> run (invalid why) c env
            Accepted ops -> steps known (Skip width : ops) (Code next)
       in Code $ \c env out -> do
            p <- needed c env width
            t <-
              if width == 1
                then fromIntegral <$> (peekHost p :: IO Word8)
                else fromIntegral <$> (peekLE p :: IO Word16)
            if t < sizeofSmallArray branches
              then case indexSmallArray branches t of Code r -> r c env out
              else run (invalidAt p width (noConstructor name t)) c env
  Call deep i ->
    -- (It may be this one, so it is not forced here.)
    let procedure = Lazy.findWithDefault done i procedures
        called c env out = case procedure of Code r -> r c env out
     in Code $ \c env out -> do
          if deep
            then run (nested Nameless (Get (\c' env' s -> unIO (called c' env' out) s))) c env
            else called c env out
          next c env out
  Permute list order ->
    let !runs = smallArrayFromList [steps known ops done | ops <- list]
        !wanted = primArrayFromList order :: PrimArray Int
     in case gatherOf list order of
          Nothing -> Code $ \c env out -> permuted runs wanted c env out >> next c env out
          Just gather -> Code $ \c env out -> do
            isDone <- gathered gather c out
            unless isDone $ permuted runs wanted c env out
            next c env out
  Through g -> Code $ \c env out -> do
    -- (Where it begins, for errors: the decoder moves on.)
    at <- position c
    bs <- run g c env
    putAll at bs c env out
    next c env out
  After inner g ->
    let !(Code translate) = compiled inner
     in Code $ \c env out -> do
          at <- position c
          bs <- translated freeBytes translate g c env
          putAll at bs c env out
          next c env out
  -- No program has these: it would be one that changes nothing.
  Unreadable _ -> Code $ \c env _ -> run (invalid "a format that is not described") c env
  -- The others are steps of constant size.
  _ -> Code next

-- What is done with a count of n bytes, and with what it counts.
type Recount = Cells -> Env -> Out -> Int -> Int -> IO ()

recounted :: Length -> Maybe Length -> Recount
recounted from to = case to of
  Nothing -> \c env _ h _ -> run (skipHere h) c env
  Just other
    | other == from -> \c env out h _ -> extent True c env out h
    | otherwise -> rewriteCount other
{-# NOINLINE recounted #-}

-- (Elements of no bytes: today's decoder counts them.)
blockRecounted :: Length -> Maybe Length -> Int -> Recount
blockRecounted from to width = case to of
  Nothing -> \c env out h n -> extent False c env out (h + n * width)
  Just other
    | other == from -> \c env out h n -> extent True c env out (h + n * width)
    | otherwise -> \c env out h n -> do
      -- Nothing is written for a length before its bytes are there.
      _ <- needed c env (h + n * width)
      rewriteCount other c env out h n
      extent True c env out (n * width)
{-# NOINLINE blockRecounted #-}

noConstructor :: String -> Int -> String
noConstructor name t = name ++ ": there is no constructor " ++ show t
{-# NOINLINE noConstructor #-}

-- Write bytes that were made of those from this offset on.
putAll :: Int -> ByteString -> Cells -> Env -> Out -> IO ()
putAll at bs c env out@(Out o _ _) = do
  now <- position c
  p <- getPtr o outCursor
  e <- getPtr o outEnd
  when (e `minusPtr` p < n) $ ensureFor (const (at - now)) c env out n
  q <- getPtr o outCursor
  withBytesQuick bs (\b _ -> copyRange q b n)
  putPtr o outCursor (q `plusPtr` n)
  where
    n = B.length bs
