{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Compile
-- Description : Programs as code
--
-- Each step becomes a closure that holds all that is known beforehand, and the closure of the steps
-- after it. Adjacent steps of constant size become a block: one check of the input, one of the
-- output, and a loop over a table of numbers.
--
-- Note [Compiled once]
-- ~~~~~~~~~~~~~~~~~~~~
-- GHC must not eta-expand a function that makes a closure. Otherwise each run makes the closure
-- anew, and all those after it. GHC 9.10 expands even with @-fno-do-lambda-eta-expansion@. But it
-- cannot expand a function that returns a constructor. So each closure is in a box, 'Code'.
-- (Benchmarks "a field was added" and "sums of a few bytes".)
module Ashlar.Schema.Internal.Evolution.Compile
  ( compiled,
  )
where

import Ashlar.Internal.Codec.Length (chargeEmpties)
import Ashlar.Internal.Get.Budget (nested)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail (invalidAt)
import Ashlar.Internal.Get.Path (Names (Nameless))
import Ashlar.Internal.Get.Strings (inSpan, ownBytes)
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

-- | A program as one action.
compiled :: Program -> Code
compiled (Program main procedures) = steps known main done
  where
    least = leastReads procedures
    known = Known least (Lazy.map (\ops -> steps known ops done) procedures)

-- The least bytes that each procedure reads, and its code. The code is lazy, because procedures
-- call each other.
data Known = Known !(IM.IntMap Int) (Lazy.IntMap Code)

done :: Code
done = Code (\_ -> pure ())

steps :: Known -> [Op] -> Code -> Code
steps known ops next = case span isSimple ops of
  (list@(_ : _ : _), rest)
    | any (isNothing . constantRead) list,
      Code next' <- steps known rest next ->
      let !rows = straightOf (alone known) list
       in Code $ \out -> runStraight rows 1 out >> next' out
  _ -> oneKind known ops next

alone :: Known -> Op -> Code
alone known op = steps known [op] done

oneKind :: Known -> [Op] -> Code -> Code
oneKind known ops next = case span (isJust . constantRead) ops of
  ([], []) -> next
  ([], op : rest) -> one known op (steps known rest next)
  ([Copy n], rest) -> copying n (steps known rest next)
  ([Skip n], rest) -> skipping n (steps known rest next)
  ([Put bs], rest) -> putting bs (steps known rest next)
  (constants, rest) -> block constants (steps known rest next)

copying :: Int -> Code -> Code
copying !n (Code next) = Code $ \out -> do
  p <- needed n
  q <- reserve True out n
  effect (copyFew q p n)
  advanced (p `plusPtr` n) out (q `plusPtr` n)
  next out

skipping :: Int -> Code -> Code
skipping !n (Code next) = Code $ \out -> do
  p <- needed n
  moveTo (p `plusPtr` n)
  next out

putting :: ByteString -> Code -> Code
putting bs (Code next) = Code $ \out@(Out o _ _) -> do
  q <- reserve False out n
  effect $ do
    withBytesQuick bs (\p _ -> copyFew q p n)
    putPtr o outCursor (q `plusPtr` n)
  next out
  where
    !n = B.length bs

block :: [Op] -> Code -> Code
block ops (Code next) = Code $ \out -> runTable table out >> next out
  where
    !table = tableOf ops

one :: Known -> Op -> Code -> Code
one known@(Known least procedures) op (Code next) = case op of
  Groups keep -> Code $ \out -> do
    n <- groups 0
    extent keep out n
    next out
  Magnitude keep signed -> Code $ \out -> do
    (h, n) <- leb "a header that does not fit"
    extent keep out (h + (n `unsafeShiftR` signed))
    next out
  -- The most frequent one: a string, or elements of constant size.
  Block Length64 (Just Length64) 0 width
    | width > 0 -> Code $ \out -> copyBlock width out >> next out
  Block from to fewest width -> Code $ \out -> do
    (h, n) <- counted from fewest
    when (width > 0 && n > (maxBound - 16) `quot` width) tooLong
    blockRecounted from to width out h n
    next out
  Each from to fewest ops ->
    let !leastBytes = leastRead least ops
        each elements = Code $ \out -> do
          (h, n) <- counted from fewest
          recounted from to out h n
          chargeEmpties leastBytes n
          () <- elements n out
          next out
        {-# INLINE each #-}
     in if all isSimple ops && not (null ops)
          then let !rows = straightOf (alone known) ops in each (runStraight rows)
          else case steps known ops done of Code element -> each (`repeated` element)
  Switch name width _ alternatives
    | width == 0 -> Code $ \_ -> invalid (name ++ " has no values")
    | Just tags <- tagsOf width alternatives -> Code $ \out -> do
      runTags (noConstructor name) tags out
      next out
    | otherwise ->
      let !branches = smallArrayFromList (map branch alternatives)
          branch alternative = case alternative of
            Refused why -> Code $ \_ -> invalid why
            Accepted ops -> steps known (Skip width : ops) (Code next)
       in Code $ \out -> do
            p <- needed width
            t <-
              effect $
                if width == 1
                  then fromIntegral <$> (peekHost p :: IO Word8)
                  else fromIntegral <$> (peekLE p :: IO Word16)
            if t < sizeofSmallArray branches
              then case indexSmallArray branches t of Code r -> r out
              else invalidAt p width (noConstructor name t)
  Call deep i ->
    -- (It may be the one that is being compiled, so it is not forced here.)
    let procedure = Lazy.findWithDefault done i procedures
        called out = case procedure of Code r -> r out
     in Code $ \out -> do
          if deep then nested Nameless (called out) else called out
          next out
  Permute list order ->
    let !runs = smallArrayFromList [steps known ops done | ops <- list]
        !wanted = primArrayFromList order :: PrimArray Int
     in case gatherOf list order of
          Nothing -> Code $ \out -> permuted runs wanted out >> next out
          Just gather -> Code $ \out -> do
            isDone <- gathered gather out
            unless isDone $ permuted runs wanted out
            next out
  Through _ _ g -> Code $ \out -> do
    -- (The offset of the value, for errors: the decoder moves the cursor.)
    at <- here
    bs <- g
    putAll at bs out
    next out
  Before g inner ->
    let !(Code translate) = compiled inner
     in Code $ \out -> do
          at <- here
          bs <- g
          new <- inSpan (ownBytes bs) (translatedBytes freeBytes translate)
          putAll at new out
          next out
  After inner g ->
    let !(Code translate) = compiled inner
     in Code $ \out -> do
          at <- here
          bs <- translated freeBytes translate g
          putAll at bs out
          next out
  -- Only programs that change nothing have these, and such programs are not compiled.
  Unreadable _ -> Code $ \_ -> invalid "a format that is not described"
  -- The others are steps of constant size.
  _ -> Code next

-- What to do with a count, given the output, the bytes of the count, and its number.
type Recount = Out -> Int -> Int -> Get ()

recounted :: Length -> Maybe Length -> Recount
recounted from to = case to of
  Nothing -> \_ h _ -> skipHere h
  Just other
    | other == from -> \out h _ -> extent True out h
    | otherwise -> rewriteCount other
{-# NOINLINE recounted #-}

-- (Today's decoder counts elements of no bytes against the budget.)
blockRecounted :: Length -> Maybe Length -> Int -> Recount
blockRecounted from to width = case to of
  Nothing -> \out h n -> extent False out (h + n * width)
  Just other
    | other == from -> \out h n -> extent True out (h + n * width)
    | otherwise -> \out h n -> do
      -- Write nothing for a length before the bytes that it announces are there.
      need (h + n * width)
      rewriteCount other out h n
      extent True out (n * width)
{-# NOINLINE blockRecounted #-}

noConstructor :: String -> Int -> String
noConstructor name t = name ++ ": there is no constructor " ++ show t
{-# NOINLINE noConstructor #-}

-- Write bytes that were made from the old bytes from this offset on.
putAll :: Int -> ByteString -> Run
putAll at bs out@(Out o _ _) = do
  now <- here
  enough <- effect $ do
    p <- getPtr o outCursor
    e <- getPtr o outEnd
    pure $! e `minusPtr` p >= n
  unless enough $ ensureFor (const (at - now)) 0 out n
  effect $ do
    q <- getPtr o outCursor
    withBytesQuick bs (\b _ -> copyRange q b n)
    putPtr o outCursor (q `plusPtr` n)
  where
    n = B.length bs
